-- Browsers that have logged in. hash is that of the cookie's token.
CREATE TABLE sessions (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    hash       BLOB NOT NULL UNIQUE,
    account    INTEGER NOT NULL REFERENCES accounts (id),
    agent      TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    proved_at  INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_account ON sessions (account);
CREATE INDEX sessions_expiry ON sessions (expires_at);

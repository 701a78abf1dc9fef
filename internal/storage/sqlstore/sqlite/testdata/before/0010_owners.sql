-- When a handle was taken by renaming; 0: it came with its account.
ALTER TABLE handles ADD COLUMN renamed_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX handles_renamed ON handles (account, renamed_at) WHERE renamed_at > 0;

-- Other addresses that accounts may get: a proposal, or, if undo, the one before.
-- Numbers grow with time. token is the hash of what a link has.
CREATE TABLE email_moves (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account    INTEGER NOT NULL REFERENCES accounts (id),
    email      TEXT NOT NULL,
    undo       INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX email_moves_account ON email_moves (account);
CREATE INDEX email_moves_expiry ON email_moves (expires_at);
CREATE TABLE email_links (
    token BLOB PRIMARY KEY,
    move  INTEGER NOT NULL REFERENCES email_moves (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX email_links_move ON email_links (move);

-- Owners look at all of their keys.
DROP INDEX keys_account;
CREATE INDEX keys_account ON keys (account);

-- Browsers that want to log in. token and code are hashes of what the message
-- says; they are NULL before it is written, and once one of them was used.
CREATE TABLE logins (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    browser    BLOB NOT NULL UNIQUE,
    token      BLOB UNIQUE,
    code       BLOB,
    email      TEXT NOT NULL,
    back       TEXT NOT NULL,
    tries      INTEGER NOT NULL,
    proved     INTEGER NOT NULL,
    asked_at   INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX logins_expiry ON logins (expires_at);

CREATE INDEX accounts_verified ON accounts (email COLLATE NOCASE) WHERE verified = 1;

-- The message of a login belongs to no account. The new table goes on with the
-- numbers of the old one.
CREATE TABLE jobs_new (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     TEXT NOT NULL,
    account  INTEGER REFERENCES accounts (id),
    login    INTEGER,
    address  TEXT NOT NULL,
    lang     TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due      INTEGER NOT NULL
) STRICT;
INSERT INTO sqlite_sequence (name, seq) SELECT 'jobs_new', seq FROM sqlite_sequence WHERE name = 'jobs';
INSERT INTO jobs_new SELECT id, kind, account, NULL, address, lang, attempts, due FROM jobs;
DROP TABLE jobs;
ALTER TABLE jobs_new RENAME TO jobs;
CREATE INDEX jobs_due ON jobs (due);

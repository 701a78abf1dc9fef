-- oldest: 27
--
-- client: the client_id of the program that has the key as a grant; null for other keys.
ALTER TABLE keys ADD COLUMN client TEXT;

-- Access and refresh tokens of grants. hash is that of the token. refresh: whether it is one. replaced_at: when it was
-- replaced first; 0 if it was not.
CREATE TABLE tokens (
    hash        BLOB PRIMARY KEY,
    key         INTEGER NOT NULL REFERENCES keys (id),
    refresh     INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    replaced_at INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_key ON tokens (key);
CREATE INDEX tokens_expiry ON tokens (expires_at);

-- Devices that ask for a grant. code is the hash of the device_code, which the key of the grant has, too; user_code a
-- keyed hash. project: the id that was asked for; '' is none. decided: 1 if the owner said yes, 2 if no. pause: the least
-- time between two polls, in microseconds. polled_at: 0 if it did not yet.
CREATE TABLE devices (
    code       BLOB PRIMARY KEY,
    user_code  BLOB NOT NULL UNIQUE,
    client     TEXT NOT NULL,
    name       TEXT NOT NULL,
    project    TEXT NOT NULL,
    scope      TEXT NOT NULL,
    asked_at   INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    pause      INTEGER NOT NULL,
    polled_at  INTEGER NOT NULL DEFAULT 0,
    decided    INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX devices_expiry ON devices (expires_at);

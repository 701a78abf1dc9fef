-- Tickets, of which each lets whoever has it make one call of whoever asked for it. Only its hash
-- is here, and what was told is sealed with the ticket itself: it may hold an e-mail address, and
-- nobody but who brings the ticket has to read it.
CREATE TABLE tickets (
    hash       BLOB PRIMARY KEY,
    key        INTEGER,
    project    TEXT,
    owner      BLOB NOT NULL,
    owner56    BLOB,
    owner48    BLOB,
    told       BLOB NOT NULL,
    used       INTEGER NOT NULL DEFAULT 0,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tickets_expiry ON tickets (expires_at);
CREATE INDEX tickets_waiting ON tickets (owner, expires_at) WHERE used = 0;
CREATE INDEX tickets_waiting56 ON tickets (owner56, expires_at) WHERE used = 0 AND owner56 IS NOT NULL;
CREATE INDEX tickets_waiting48 ON tickets (owner48, expires_at) WHERE used = 0 AND owner48 IS NOT NULL;

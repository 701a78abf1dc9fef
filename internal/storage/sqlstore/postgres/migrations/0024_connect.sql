-- oldest: 23
--
-- Edit tokens, and codes that take the projects of an account into another one. See the migration of SQLite.
ALTER TABLE keys ADD COLUMN edits BIGINT NOT NULL DEFAULT 0;
CREATE INDEX keys_idle ON keys (last_used_at) WHERE edits = 1;

CREATE TABLE connects (
    code       BYTEA PRIMARY KEY,
    account    BIGINT NOT NULL REFERENCES accounts (id),
    expires_at BIGINT NOT NULL
);
CREATE INDEX connects_account ON connects (account);
CREATE INDEX connects_expiry ON connects (expires_at);

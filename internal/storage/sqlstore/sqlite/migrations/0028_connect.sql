-- oldest: 27
--
-- edits: whether the key is an edit_token, which tools alone may present.
ALTER TABLE keys ADD COLUMN edits INTEGER NOT NULL DEFAULT 0;
CREATE INDEX keys_idle ON keys (last_used_at) WHERE edits = 1;

-- Codes that take the projects of an account without a verified address into another account. code is the hash.
CREATE TABLE connects (
    code       BLOB PRIMARY KEY,
    account    INTEGER NOT NULL REFERENCES accounts (id),
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX connects_account ON connects (account);
CREATE INDEX connects_expiry ON connects (expires_at);

-- expands: to a node of the release before these are deleted projects, of which it does nothing.
--
-- Deleted projects that their owners can still take back, since when.
CREATE TABLE trash (
    project BIGINT PRIMARY KEY REFERENCES projects (num),
    account BIGINT NOT NULL REFERENCES accounts (id),
    at      BIGINT NOT NULL
);
CREATE INDEX trash_account ON trash (account);
CREATE INDEX trash_at ON trash (at);

-- Accounts that were renamed, verified, suspended, restored or deleted, whose projects
-- still have to follow. Those up to the number after in the order of seq have.
CREATE TABLE follows (
    account INTEGER PRIMARY KEY REFERENCES accounts (id),
    after   INTEGER NOT NULL
) STRICT;

DROP TRIGGER accounts_listed;
DROP TRIGGER listings_renamed;
CREATE TRIGGER accounts_followed AFTER UPDATE OF handle, verified, suspended_at, deleted_at ON accounts
WHEN new.projects > 0 AND (new.handle <> old.handle OR (old.deleted_at IS NULL) <> (new.deleted_at IS NULL)
    OR (old.verified = 1 AND old.suspended_at IS NULL) <> (new.verified = 1 AND new.suspended_at IS NULL)) BEGIN
    INSERT INTO follows (account, after) VALUES (new.id, 0) ON CONFLICT (account) DO UPDATE SET after = 0;
END;

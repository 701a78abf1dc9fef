-- Whether projects of accounts without a verified address are listed, too: where the
-- service is local. A project's listed follows it like it follows the account.
CREATE TABLE listing (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    unverified INTEGER NOT NULL
) STRICT;
INSERT INTO listing (one, unverified) VALUES (1, 0);

DROP TRIGGER projects_relisted;
CREATE TRIGGER projects_relisted AFTER UPDATE OF unlisted, suspended_at, deleted_at ON projects BEGIN
    UPDATE projects SET listed = new.unlisted = 0 AND new.suspended_at IS NULL AND new.deleted_at IS NULL
        AND (SELECT (verified = 1 OR (SELECT unverified FROM listing WHERE one = 1)) AND suspended_at IS NULL AND deleted_at IS NULL FROM accounts WHERE id = new.account)
    WHERE num = new.num;
END;

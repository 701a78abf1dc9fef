-- listed: 1 for what anybody may be shown in a list, of which only triggers and the
-- insert of a new project decide: the owner's address is verified, the owner wants
-- it, and neither project nor account is suspended or deleted.
ALTER TABLE projects ADD COLUMN listed INTEGER NOT NULL DEFAULT 0;
UPDATE projects SET listed = 1
WHERE unlisted = 0 AND suspended_at IS NULL AND deleted_at IS NULL
    AND account IN (SELECT id FROM accounts WHERE verified = 1 AND suspended_at IS NULL AND deleted_at IS NULL);
CREATE INDEX projects_listed ON projects (listed) WHERE listed = 1;
CREATE INDEX projects_profile ON projects (account) WHERE listed = 1;

-- The words of listed projects, by the number of the project.
CREATE VIRTUAL TABLE listings USING fts5 (title, handle, tokenize = "unicode61 remove_diacritics 2");
INSERT INTO listings (rowid, title, handle)
SELECT p.num, p.title, a.handle FROM projects p JOIN accounts a ON a.id = p.account WHERE p.listed = 1;

CREATE TRIGGER accounts_listed AFTER UPDATE OF verified, suspended_at, deleted_at ON accounts
WHEN (old.verified = 1 AND old.suspended_at IS NULL AND old.deleted_at IS NULL) <> (new.verified = 1 AND new.suspended_at IS NULL AND new.deleted_at IS NULL) BEGIN
    UPDATE projects SET listed = new.verified = 1 AND new.suspended_at IS NULL AND new.deleted_at IS NULL
    WHERE account = new.id AND unlisted = 0 AND suspended_at IS NULL AND deleted_at IS NULL;
END;
CREATE TRIGGER projects_relisted AFTER UPDATE OF unlisted, suspended_at, deleted_at ON projects BEGIN
    UPDATE projects SET listed = new.unlisted = 0 AND new.suspended_at IS NULL AND new.deleted_at IS NULL
        AND (SELECT verified = 1 AND suspended_at IS NULL AND deleted_at IS NULL FROM accounts WHERE id = new.account)
    WHERE num = new.num;
END;

CREATE TRIGGER listings_added AFTER UPDATE OF listed ON projects WHEN new.listed > old.listed BEGIN
    INSERT INTO listings (rowid, title, handle) SELECT new.num, new.title, handle FROM accounts WHERE id = new.account;
END;
CREATE TRIGGER listings_removed AFTER UPDATE OF listed ON projects WHEN new.listed < old.listed BEGIN
    DELETE FROM listings WHERE rowid = new.num;
END;
CREATE TRIGGER listings_titled AFTER UPDATE OF title ON projects WHEN new.listed = 1 AND new.title <> old.title BEGIN
    UPDATE listings SET title = new.title WHERE rowid = new.num;
END;
CREATE TRIGGER listings_renamed AFTER UPDATE OF handle ON accounts WHEN new.handle <> old.handle BEGIN
    UPDATE listings SET handle = new.handle WHERE rowid IN (SELECT num FROM projects WHERE account = new.id AND listed = 1);
END;

-- What an account has: its projects that are not deleted, and the bytes of the
-- files of all versions. Triggers keep them, so that no statement that adds or
-- removes can forget it; but for new projects, whose INSERT would then look for
-- keys and files that wait for their project.
ALTER TABLE accounts ADD COLUMN projects INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;

UPDATE accounts SET
    projects = (SELECT count(*) FROM projects p WHERE p.account = accounts.id AND p.deleted_at IS NULL),
    bytes = (SELECT coalesce(sum(b.size), 0) FROM projects p JOIN files f ON f.project = p.num JOIN blobs b ON b.id = f.blob WHERE p.account = accounts.id);

CREATE TRIGGER projects_removed AFTER UPDATE OF deleted_at ON projects WHEN (old.deleted_at IS NULL) <> (new.deleted_at IS NULL) BEGIN
    UPDATE accounts SET projects = projects + (CASE WHEN new.deleted_at IS NULL THEN 1 ELSE -1 END) WHERE id = new.account;
END;
CREATE TRIGGER files_added AFTER INSERT ON files BEGIN
    UPDATE accounts SET bytes = bytes + (SELECT size FROM blobs WHERE id = new.blob)
    WHERE id = (SELECT account FROM projects WHERE num = new.project);
END;
CREATE TRIGGER files_removed AFTER DELETE ON files BEGIN
    UPDATE accounts SET bytes = bytes - (SELECT size FROM blobs WHERE id = old.blob)
    WHERE id = (SELECT account FROM projects WHERE num = old.project);
END;

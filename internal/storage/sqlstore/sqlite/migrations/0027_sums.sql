-- expands: a table, indexes and triggers, which the release before keeps without knowing.
--
-- Sums over whole tables, so that nobody has to count them: of the rows up to the number through, a and b are
-- of accounts: those that are not deleted, and of these the verified ones;
-- of projects: those that are not deleted;
-- of blobs: the bytes in the database, and those outside of it;
-- of "act NAME": the acts of that name by operators.
-- Later rows are few, and are counted when somebody asks; next is the last row at the time at, and through follows it.
CREATE TABLE sums (
    name    TEXT PRIMARY KEY,
    through INTEGER NOT NULL DEFAULT 0,
    next    INTEGER NOT NULL DEFAULT 0,
    at      INTEGER NOT NULL DEFAULT 0,
    a       INTEGER NOT NULL DEFAULT 0,
    b       INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO sums (name, through, next, a, b)
    SELECT 'accounts', coalesce(max(id), 0), coalesce(max(id), 0), coalesce(sum(deleted_at IS NULL), 0), coalesce(sum(deleted_at IS NULL AND verified = 1), 0)
    FROM accounts;
INSERT INTO sums (name, through, next, a)
    SELECT 'projects', coalesce(max(num), 0), coalesce(max(num), 0), coalesce(sum(deleted_at IS NULL), 0) FROM projects;
INSERT INTO sums (name, through, next, a, b)
    SELECT 'blobs', coalesce(max(id), 0), coalesce(max(id), 0),
        coalesce(sum(CASE WHEN ref IS NULL THEN size ELSE 0 END), 0), coalesce(sum(CASE WHEN ref IS NULL THEN 0 ELSE size END), 0)
    FROM blobs;
INSERT INTO sums (name, a) SELECT 'act ' || action, count(*) FROM acts WHERE actor = 'operator' GROUP BY action;

CREATE INDEX accounts_suspended ON accounts (verified) WHERE suspended_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX projects_suspended ON projects (num) WHERE suspended_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX reports_open ON reports (at) WHERE closed_at IS NULL;

CREATE TRIGGER accounts_summed AFTER UPDATE OF verified, deleted_at ON accounts
WHEN (old.deleted_at IS NULL) <> (new.deleted_at IS NULL) OR old.verified <> new.verified BEGIN
    UPDATE sums SET a = a + (new.deleted_at IS NULL) - (old.deleted_at IS NULL),
        b = b + (new.deleted_at IS NULL AND new.verified = 1) - (old.deleted_at IS NULL AND old.verified = 1)
    WHERE name = 'accounts' AND through >= new.id;
END;

CREATE TRIGGER projects_summed AFTER UPDATE OF deleted_at ON projects WHEN (old.deleted_at IS NULL) <> (new.deleted_at IS NULL) BEGIN
    UPDATE sums SET a = a + (CASE WHEN new.deleted_at IS NULL THEN 1 ELSE -1 END) WHERE name = 'projects' AND through >= new.num;
END;

CREATE TRIGGER blobs_summed AFTER DELETE ON blobs BEGIN
    UPDATE sums SET a = a - (CASE WHEN old.ref IS NULL THEN old.size ELSE 0 END), b = b - (CASE WHEN old.ref IS NULL THEN 0 ELSE old.size END)
    WHERE name = 'blobs' AND through >= old.id;
END;

CREATE TRIGGER acts_summed AFTER INSERT ON acts WHEN new.actor = 'operator' BEGIN
    INSERT INTO sums (name, a) VALUES ('act ' || new.action, 1) ON CONFLICT (name) DO UPDATE SET a = a + 1;
END;

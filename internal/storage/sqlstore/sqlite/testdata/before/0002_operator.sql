-- What an operator does. Null: not suspended, not deleted.
ALTER TABLE accounts ADD COLUMN suspended_at INTEGER;
ALTER TABLE accounts ADD COLUMN deleted_at INTEGER;
ALTER TABLE projects ADD COLUMN suspended_at INTEGER;

-- Account keys only, of which an account has few: an index of all would be
-- written in every publish.
CREATE INDEX keys_account ON keys (account) WHERE project IS NULL;

-- Deleted projects whose files and versions are still to be let go of.
CREATE TABLE removals (
    project INTEGER PRIMARY KEY REFERENCES projects (num)
) STRICT;

-- The audit log. It grows and never changes; the triggers refuse whoever forgets.
CREATE TABLE acts (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL,
    actor  TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    reason TEXT NOT NULL
) STRICT;
CREATE INDEX acts_target ON acts (target, id);
CREATE TRIGGER acts_no_update BEFORE UPDATE ON acts
BEGIN SELECT raise(ABORT, 'the audit log is never changed'); END;
CREATE TRIGGER acts_no_delete BEFORE DELETE ON acts
BEGIN SELECT raise(ABORT, 'the audit log is never changed'); END;
CREATE TRIGGER acts_no_replace BEFORE INSERT ON acts WHEN EXISTS (SELECT 1 FROM acts WHERE id = NEW.id)
BEGIN SELECT raise(ABORT, 'the audit log is never changed'); END;

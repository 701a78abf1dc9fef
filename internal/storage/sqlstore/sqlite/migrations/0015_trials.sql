-- What the play-tester saw of projects: of each the last trial that ended, and who is at one.
-- version: that was opened, 0 before any was. trying: the version that is being opened, for which
-- tries were begun, and until when it is leased. opened is how many were begun on that day.
-- seen is JSON, of some 20 KiB at most.
CREATE TABLE trials (
    project      INTEGER PRIMARY KEY REFERENCES projects (num),
    version      INTEGER NOT NULL DEFAULT 0,
    at           INTEGER NOT NULL DEFAULT 0,
    outcome      TEXT NOT NULL DEFAULT '',
    seen         TEXT NOT NULL DEFAULT '',
    trying       INTEGER NOT NULL DEFAULT 0,
    tries        INTEGER NOT NULL DEFAULT 0,
    leased_until INTEGER NOT NULL DEFAULT 0,
    day          INTEGER NOT NULL DEFAULT 0,
    opened       INTEGER NOT NULL DEFAULT 0
) STRICT;

-- tried: the last version that is not due any more.
ALTER TABLE projects ADD COLUMN tried INTEGER NOT NULL DEFAULT 0;
CREATE INDEX projects_untried ON projects (updated_at) WHERE tried < version AND deleted_at IS NULL AND suspended_at IS NULL;

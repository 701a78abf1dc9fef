-- expands: a table that no node of the release before asks, and a column with a default.
--
-- What the play-tester saw of projects: of each the last trial that ended, and who is at one.
-- version: that was opened, 0 before any was. trying: the version that is being opened, for which
-- tries were begun, and until when it is leased. opened is how many were begun on that day.
-- seen is JSON, of some 20 KiB at most.
CREATE TABLE trials (
    project      BIGINT PRIMARY KEY REFERENCES projects (num),
    version      BIGINT NOT NULL DEFAULT 0,
    at           BIGINT NOT NULL DEFAULT 0,
    outcome      TEXT COLLATE "C" NOT NULL DEFAULT '',
    seen         TEXT COLLATE "C" NOT NULL DEFAULT '',
    trying       BIGINT NOT NULL DEFAULT 0,
    tries        BIGINT NOT NULL DEFAULT 0,
    leased_until BIGINT NOT NULL DEFAULT 0,
    day          BIGINT NOT NULL DEFAULT 0,
    opened       BIGINT NOT NULL DEFAULT 0
);

-- tried: the last version that is not due any more.
ALTER TABLE projects ADD COLUMN tried BIGINT NOT NULL DEFAULT 0;
CREATE INDEX projects_untried ON projects (updated_at) WHERE tried < version AND deleted_at IS NULL AND suspended_at IS NULL;

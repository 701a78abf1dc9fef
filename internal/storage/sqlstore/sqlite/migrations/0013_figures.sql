-- What owners learn of their projects over time. seen tells how many players there were of a day that is not over, without telling who;
-- Sweep puts a number of players in its place. lengths counts plays by how long they were.
CREATE TABLE day_figures (
    project INTEGER NOT NULL REFERENCES projects (num),
    day     INTEGER NOT NULL,
    plays   INTEGER NOT NULL,
    likes   INTEGER NOT NULL,
    players INTEGER NOT NULL DEFAULT 0,
    seen    BLOB,
    lengths BLOB,
    PRIMARY KEY (project, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX day_figures_day ON day_figures (day);
CREATE INDEX day_figures_seen ON day_figures (day) WHERE seen IS NOT NULL;

-- The same of each version, of all days together; seen is that of one day.
CREATE TABLE version_figures (
    project INTEGER NOT NULL REFERENCES projects (num),
    version INTEGER NOT NULL,
    day     INTEGER NOT NULL,
    plays   INTEGER NOT NULL,
    likes   INTEGER NOT NULL,
    players INTEGER NOT NULL DEFAULT 0,
    seen    BLOB,
    lengths BLOB,
    PRIMARY KEY (project, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX version_figures_seen ON version_figures (day) WHERE seen IS NOT NULL;

-- The hosts of other sites that led to plays, of each day.
CREATE TABLE day_sources (
    project INTEGER NOT NULL REFERENCES projects (num),
    day     INTEGER NOT NULL,
    host    TEXT NOT NULL,
    plays   INTEGER NOT NULL,
    PRIMARY KEY (project, day, host)
) STRICT, WITHOUT ROWID;
CREATE INDEX day_sources_day ON day_sources (day);

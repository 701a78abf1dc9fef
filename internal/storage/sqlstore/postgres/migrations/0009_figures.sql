-- expands: tables that no node of the release before asks.
--
-- What owners learn of their projects over time. seen tells how many players there were of a day that is not over, without telling who;
-- Sweep puts a number of players in its place. lengths counts plays by how long they were.
CREATE TABLE day_figures (
    project BIGINT NOT NULL REFERENCES projects (num),
    day     BIGINT NOT NULL,
    plays   BIGINT NOT NULL,
    likes   BIGINT NOT NULL,
    players BIGINT NOT NULL DEFAULT 0,
    seen    BYTEA,
    lengths BYTEA,
    PRIMARY KEY (project, day)
);
CREATE INDEX day_figures_day ON day_figures (day);
CREATE INDEX day_figures_seen ON day_figures (day) WHERE seen IS NOT NULL;

-- The same of each version, of all days together; seen is that of one day.
CREATE TABLE version_figures (
    project BIGINT NOT NULL REFERENCES projects (num),
    version BIGINT NOT NULL,
    day     BIGINT NOT NULL,
    plays   BIGINT NOT NULL,
    likes   BIGINT NOT NULL,
    players BIGINT NOT NULL DEFAULT 0,
    seen    BYTEA,
    lengths BYTEA,
    PRIMARY KEY (project, version)
);
CREATE INDEX version_figures_seen ON version_figures (day) WHERE seen IS NOT NULL;

-- The hosts of other sites that led to plays, of each day.
CREATE TABLE day_sources (
    project BIGINT NOT NULL REFERENCES projects (num),
    day     BIGINT NOT NULL,
    host    TEXT COLLATE "C" NOT NULL,
    plays   BIGINT NOT NULL,
    PRIMARY KEY (project, day, host)
);
CREATE INDEX day_sources_day ON day_sources (day);

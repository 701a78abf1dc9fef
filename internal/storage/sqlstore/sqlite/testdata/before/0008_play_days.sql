-- How often a project was played on a day, which is its number since 1970-01-01,
-- UTC. The days are kept together: today's rows are the ones that are written, and
-- the oldest ones go all at once.
CREATE TABLE play_days (
    day     INTEGER NOT NULL,
    project INTEGER NOT NULL REFERENCES projects (num),
    plays   INTEGER NOT NULL,
    PRIMARY KEY (day, project)
) STRICT, WITHOUT ROWID;

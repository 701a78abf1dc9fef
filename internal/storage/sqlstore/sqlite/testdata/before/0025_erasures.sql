-- Versions that were erased, whose files are still to be let go of.
CREATE TABLE erasures (
    project INTEGER NOT NULL REFERENCES projects (num),
    n       INTEGER NOT NULL,
    PRIMARY KEY (project, n)
) STRICT, WITHOUT ROWID;

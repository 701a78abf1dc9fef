-- The next version of a project, n, while its files are recorded in steps: those that it
-- drops have it as their until, those that it puts as their since. Readers go by the
-- project's version, and so see none of it before that is n. undone: it is being taken
-- back.
CREATE TABLE drafts (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    project INTEGER NOT NULL UNIQUE REFERENCES projects (num),
    n       INTEGER NOT NULL,
    undone  INTEGER NOT NULL DEFAULT 0
) STRICT;

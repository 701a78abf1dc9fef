-- oldest: 25
--
-- The last run of each of the operator's commands that a server reports: damaged is what it found damaged, good_at when
-- a run last found nothing, 0 if none did.
CREATE TABLE runs (
    kind    TEXT PRIMARY KEY,
    at      INTEGER NOT NULL,
    good_at INTEGER NOT NULL,
    damaged INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A version that is recorded in steps is its holder's until then, who may be another process.
ALTER TABLE drafts ADD COLUMN holder TEXT NOT NULL DEFAULT '';
ALTER TABLE drafts ADD COLUMN leased_until INTEGER NOT NULL DEFAULT 0;

-- The parts of an upload are put together by one process at a time, until then.
ALTER TABLE uploads ADD COLUMN leased_until INTEGER NOT NULL DEFAULT 0;

-- Which plays each process has added last, by the number of the batch: one that is written
-- again, for nobody knows whether it was written, is known by it.
CREATE TABLE counters (
    process INTEGER PRIMARY KEY,
    batch   INTEGER NOT NULL,
    at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX counters_at ON counters (at);

-- By what visitors are told apart, until the day is over: no copy has it.
CREATE TABLE day_salts (
    day  INTEGER PRIMARY KEY,
    salt BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Work that one process at a time does, which has it until then.
CREATE TABLE leases (
    work         TEXT PRIMARY KEY,
    leased_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What "sandlot move" keeps in the two databases of a move, until it is done.
--
-- side: 'from' or 'to'. state: 'begun'; of the side that was left 'left', whose records
-- nobody changes any more. other: the other side as people call it, without secrets.
-- schema: of the database when it began. runner: the process that is at it; one that comes
-- later takes its place.
CREATE TABLE moving (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    move   BLOB NOT NULL,
    side   TEXT NOT NULL,
    state  TEXT NOT NULL,
    schema TEXT NOT NULL,
    other  TEXT NOT NULL,
    runner BLOB NOT NULL,
    at     INTEGER NOT NULL
) STRICT;

-- How far the rows of each table are copied, and compared: up to a key, or all of them.
CREATE TABLE moving_tables (
    name        TEXT PRIMARY KEY,
    copied_to   TEXT NOT NULL DEFAULT '',
    copied      INTEGER NOT NULL DEFAULT 0,
    compared_to TEXT NOT NULL DEFAULT '',
    compared    INTEGER NOT NULL DEFAULT 0,
    row_count   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- The keys of rows that were changed since: triggers put them here.
CREATE TABLE moving_changes (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    n1   INTEGER,
    n2   INTEGER,
    n3   INTEGER,
    t    TEXT,
    b    BLOB
) STRICT;

-- Blobs whose bytes could not be taken along.
CREATE TABLE moving_damage (
    blob INTEGER PRIMARY KEY
) STRICT;

-- What is put back at the end.
CREATE TABLE moving_aside (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    statement TEXT NOT NULL
) STRICT;

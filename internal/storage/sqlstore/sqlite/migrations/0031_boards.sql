-- oldest: 27
--
-- Boards of projects. least and most: the owner's bounds, as numbers in the order of scores. seconds: how long a player
-- has to be there before a score counts. moved_at: the last score that changed the board. state: 1 if rows outside of the
-- bounds may be left, 2 if the board is put aside, without a name, for a sweep to remove it with its rows.
CREATE TABLE boards (
    num        INTEGER PRIMARY KEY,
    project    INTEGER NOT NULL REFERENCES projects (num),
    name       TEXT,
    ascending  INTEGER NOT NULL,
    least      INTEGER,
    most       INTEGER,
    seconds    INTEGER NOT NULL,
    state      INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    moved_at   INTEGER NOT NULL,
    UNIQUE (project, name)
) STRICT;
CREATE INDEX boards_moved ON boards (moved_at) WHERE name IS NOT NULL;
CREATE INDEX boards_state ON boards (state) WHERE state > 0;

-- The best score of each player in each period: 0 all time, a day since 1970, or a week as a negative number. Rows are
-- in the order of sort, at and player: sort is a number in the order of scores, a lower one better.
CREATE TABLE scores (
    player INTEGER NOT NULL REFERENCES players (num),
    board  INTEGER NOT NULL REFERENCES boards (num),
    period INTEGER NOT NULL,
    sort   INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    PRIMARY KEY (player, board, period)
) STRICT, WITHOUT ROWID;
CREATE INDEX scores_order ON scores (board, period, sort, at, player);

-- The rows of a board and period, counted in blocks: n rows from this one on, before the next block. The first block
-- begins before all rows.
CREATE TABLE blocks (
    board  INTEGER NOT NULL REFERENCES boards (num),
    period INTEGER NOT NULL,
    sort   INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    player INTEGER NOT NULL,
    n      INTEGER NOT NULL,
    PRIMARY KEY (board, period, sort, at, player)
) STRICT, WITHOUT ROWID;
CREATE INDEX blocks_period ON blocks (period);

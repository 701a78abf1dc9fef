-- oldest: 27
--
-- runtime: what players may keep: '' everything, 'read' nothing new, 'off' nothing.
ALTER TABLE projects ADD COLUMN runtime TEXT NOT NULL DEFAULT '';

-- Players of projects. id is shown on boards; code is the keyed hash of the four words that Resume takes; day is the last
-- on which the player was seen; held is the bytes of the saves. refused: whether the owner wants no name and no score of it.
CREATE TABLE players (
    num     INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects (num),
    id      TEXT NOT NULL,
    name    TEXT NOT NULL DEFAULT '',
    code    BLOB UNIQUE,
    refused INTEGER NOT NULL DEFAULT 0,
    day     INTEGER NOT NULL,
    held    INTEGER NOT NULL DEFAULT 0,
    saves   INTEGER NOT NULL DEFAULT 0,
    UNIQUE (project, id)
) STRICT;
CREATE INDEX players_day ON players (day);

-- The hashes of the tokens of players: one for each device, which it was brought to at that time.
CREATE TABLE player_tokens (
    project INTEGER NOT NULL REFERENCES projects (num),
    hash    BLOB NOT NULL,
    player  INTEGER NOT NULL REFERENCES players (num),
    at      INTEGER NOT NULL,
    PRIMARY KEY (project, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX player_tokens_player ON player_tokens (player, at);

-- value is JSON.
CREATE TABLE saves (
    player INTEGER NOT NULL REFERENCES players (num),
    slot   TEXT NOT NULL,
    value  BLOB NOT NULL,
    at     INTEGER NOT NULL,
    PRIMARY KEY (player, slot)
) STRICT;

CREATE TABLE shared (
    project INTEGER NOT NULL REFERENCES projects (num),
    key     TEXT NOT NULL,
    value   BLOB NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (project, key)
) STRICT;

-- What the players of a project keep: players that are known, bytes of their saves (each player's rounded up to 4 KiB),
-- bytes and keys of the shared values, bytes of the scores (64 KiB for each block of a board), and of all these the bytes
-- that count to the account: 64 KiB at a time. A save changes this row only where the player's rounded bytes change.
CREATE TABLE player_totals (
    project INTEGER PRIMARY KEY REFERENCES projects (num),
    players INTEGER NOT NULL DEFAULT 0,
    held    INTEGER NOT NULL DEFAULT 0,
    shared  INTEGER NOT NULL DEFAULT 0,
    keys    INTEGER NOT NULL DEFAULT 0,
    scores  INTEGER NOT NULL DEFAULT 0,
    charged INTEGER NOT NULL DEFAULT 0
) STRICT;

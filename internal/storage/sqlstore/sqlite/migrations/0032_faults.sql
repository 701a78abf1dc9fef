-- oldest: 27
--
-- Errors that pages of a version threw in browsers of players, those that are equal in one row: hash is of kind, place
-- and message.
CREATE TABLE faults (
    project  INTEGER NOT NULL REFERENCES projects (num),
    version  INTEGER NOT NULL,
    hash     BLOB NOT NULL,
    kind     TEXT NOT NULL,
    message  TEXT NOT NULL,
    place    TEXT NOT NULL,
    stack    TEXT NOT NULL,
    chrome   INTEGER NOT NULL,
    firefox  INTEGER NOT NULL,
    safari   INTEGER NOT NULL,
    edge     INTEGER NOT NULL,
    other    INTEGER NOT NULL,
    count    INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    PRIMARY KEY (project, version, hash)
) STRICT;
CREATE INDEX faults_last_at ON faults (last_at);

-- Messages of players to the maker. token is as in player_tokens, where it may be missing.
CREATE TABLE feedback (
    id      INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects (num),
    version INTEGER NOT NULL,
    text    TEXT NOT NULL,
    token   BLOB NOT NULL,
    at      INTEGER NOT NULL
) STRICT;
CREATE INDEX feedback_project ON feedback (project, id);
CREATE INDEX feedback_at ON feedback (at);

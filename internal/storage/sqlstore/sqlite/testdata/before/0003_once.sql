-- What is left for a day of each step that was made under an Idempotency-Key.
-- account 0 and project '' are none. mail: 0 no address came with the call, 1 it
-- was set, 2 it was ignored.
CREATE TABLE once (
    key        BLOB PRIMARY KEY,
    request    BLOB NOT NULL,
    expires_at INTEGER NOT NULL,
    account    INTEGER NOT NULL,
    project    TEXT NOT NULL,
    version    INTEGER NOT NULL,
    mail       INTEGER NOT NULL,
    answer     BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX once_expiry ON once (expires_at);

-- The project's title as each version left it. Of older versions only the last
-- one is known.
ALTER TABLE versions ADD COLUMN title TEXT NOT NULL DEFAULT '';
UPDATE versions SET title = (SELECT title FROM projects WHERE num = versions.project);

-- Pictures of projects and accounts, as they were made anew of what somebody sent. One that is not used any more says
-- since when in gone_at, and goes some time later.
CREATE TABLE pictures (
    id      TEXT PRIMARY KEY,
    project INTEGER REFERENCES projects (num),
    account INTEGER REFERENCES accounts (id),
    made_at INTEGER NOT NULL,
    gone_at INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX pictures_project ON pictures (project) WHERE project IS NOT NULL;
CREATE INDEX pictures_account ON pictures (account) WHERE account IS NOT NULL;
CREATE INDEX pictures_gone ON pictures (gone_at) WHERE gone_at > 0;

CREATE TABLE picture_sizes (
    picture TEXT NOT NULL REFERENCES pictures (id),
    width   INTEGER NOT NULL,
    blob    INTEGER NOT NULL REFERENCES blobs (id),
    PRIMARY KEY (picture, width)
) STRICT, WITHOUT ROWID;
CREATE INDEX picture_sizes_blob ON picture_sizes (blob);

-- What the cover of a project is made of. wish: what its owner chose, empty for nothing. upload and shot are pictures that it may be.
-- made: what it was made of, so that it is not made again of the same. tries: how often somebody began with it and did not come to an end.
CREATE TABLE covers (
    project      INTEGER PRIMARY KEY REFERENCES projects (num),
    wish         TEXT NOT NULL DEFAULT '',
    file         TEXT NOT NULL DEFAULT '',
    upload       TEXT NOT NULL DEFAULT '',
    shot         TEXT NOT NULL DEFAULT '',
    source       TEXT NOT NULL DEFAULT '',
    made         TEXT NOT NULL DEFAULT '',
    findings     TEXT NOT NULL DEFAULT '',
    tries        INTEGER NOT NULL DEFAULT 0,
    leased_until INTEGER NOT NULL DEFAULT 0
) STRICT;

-- covered: the version that the cover was made for; where it is another one the cover is to be made.
ALTER TABLE projects ADD COLUMN covered INTEGER NOT NULL DEFAULT 0;
CREATE INDEX projects_uncovered ON projects (num) WHERE covered <> version AND deleted_at IS NULL;

-- The picture of an account.
ALTER TABLE accounts ADD COLUMN portrait TEXT NOT NULL DEFAULT '';

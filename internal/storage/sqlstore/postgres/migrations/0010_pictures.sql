-- expands: tables and columns that no node of the release before asks; what it publishes is seen by the next one.
--
-- Pictures of projects and accounts, as they were made anew of what somebody sent. One that is not used any more says
-- since when in gone_at, and goes some time later.
CREATE TABLE pictures (
    id      TEXT COLLATE "C" PRIMARY KEY,
    project BIGINT REFERENCES projects (num),
    account BIGINT REFERENCES accounts (id),
    made_at BIGINT NOT NULL,
    gone_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX pictures_project ON pictures (project) WHERE project IS NOT NULL;
CREATE INDEX pictures_account ON pictures (account) WHERE account IS NOT NULL;
CREATE INDEX pictures_gone ON pictures (gone_at) WHERE gone_at > 0;

CREATE TABLE picture_sizes (
    picture TEXT COLLATE "C" NOT NULL REFERENCES pictures (id),
    width   BIGINT NOT NULL,
    blob    BIGINT NOT NULL REFERENCES blobs (id),
    PRIMARY KEY (picture, width)
);
CREATE INDEX picture_sizes_blob ON picture_sizes (blob);

-- What the cover of a project is made of. wish: what its owner chose, empty for nothing. upload and shot are pictures that it may be.
-- made: what it was made of, so that it is not made again of the same. tries: how often somebody began with it and did not come to an end.
CREATE TABLE covers (
    project      BIGINT PRIMARY KEY REFERENCES projects (num),
    wish         TEXT COLLATE "C" NOT NULL DEFAULT '',
    file         TEXT COLLATE "C" NOT NULL DEFAULT '',
    upload       TEXT COLLATE "C" NOT NULL DEFAULT '',
    shot         TEXT COLLATE "C" NOT NULL DEFAULT '',
    source       TEXT COLLATE "C" NOT NULL DEFAULT '',
    made         TEXT COLLATE "C" NOT NULL DEFAULT '',
    findings     TEXT COLLATE "C" NOT NULL DEFAULT '',
    tries        BIGINT NOT NULL DEFAULT 0,
    leased_until BIGINT NOT NULL DEFAULT 0
);

-- covered: the version that the cover was made for; where it is another one the cover is to be made.
ALTER TABLE projects ADD COLUMN covered BIGINT NOT NULL DEFAULT 0;
CREATE INDEX projects_uncovered ON projects (num) WHERE covered <> version AND deleted_at IS NULL;

-- The picture of an account.
ALTER TABLE accounts ADD COLUMN portrait TEXT COLLATE "C" NOT NULL DEFAULT '';

-- Times are microseconds since 1970, UTC. Hashes are SHA-256. 1 is yes, 0 is no.

-- "SDLT": tells this file from other people's databases.
PRAGMA application_id = 1396984916;

-- seq grows with every change of a project, in the order of commits.
CREATE TABLE counter (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    seq INTEGER NOT NULL
) STRICT;
INSERT INTO counter (one, seq) VALUES (1, 0);

-- What is written to find out whether the disk has room again.
CREATE TABLE probe (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    bytes BLOB NOT NULL
) STRICT;

CREATE TABLE secrets (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE accounts (
    id         INTEGER PRIMARY KEY,
    handle     TEXT NOT NULL,
    email      TEXT NOT NULL,
    verified   INTEGER NOT NULL,
    lang       TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- Every handle that was ever given out, also when its account has another now.
CREATE TABLE handles (
    handle  TEXT PRIMARY KEY,
    account INTEGER NOT NULL REFERENCES accounts (id)
) STRICT, WITHOUT ROWID;

-- Rows are never deleted: the id of a deleted project is not used again.
CREATE TABLE projects (
    num          INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    account      INTEGER NOT NULL REFERENCES accounts (id),
    title        TEXT NOT NULL,
    lang         TEXT NOT NULL,
    primary_file TEXT NOT NULL,
    version      INTEGER NOT NULL,
    suffix       TEXT NOT NULL,
    size         INTEGER NOT NULL,
    file_count   INTEGER NOT NULL,
    plays        INTEGER NOT NULL DEFAULT 0,
    likes        INTEGER NOT NULL DEFAULT 0,
    seq          INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    deleted_at   INTEGER
) STRICT;
CREATE INDEX projects_account ON projects (account, seq);

-- A key without a project covers its whole account.
CREATE TABLE keys (
    id           INTEGER PRIMARY KEY,
    hash         BLOB NOT NULL UNIQUE,
    account      INTEGER NOT NULL REFERENCES accounts (id),
    project      INTEGER REFERENCES projects (num),
    name         TEXT NOT NULL,
    last_four    TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    revoked_at   INTEGER
) STRICT;

CREATE TABLE versions (
    project    INTEGER NOT NULL REFERENCES projects (num),
    n          INTEGER NOT NULL,
    suffix     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (project, n)
) STRICT, WITHOUT ROWID;

-- Bytes that never change: those that ref names, or those in contents if ref is
-- null. An id is never used again, for caches know bytes by it.
-- squeezed: null for what is no file, 0 for a file whose variants are still to be
-- made, 1 once they are. loose: a reference went away, and nobody has looked yet
-- whether it was the last.
CREATE TABLE blobs (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    ref        TEXT,
    size       INTEGER NOT NULL,
    sha256     BLOB NOT NULL,
    is_text    INTEGER NOT NULL,
    squeezed   INTEGER,
    loose      INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX blobs_ref ON blobs (ref) WHERE ref IS NOT NULL;
CREATE INDEX blobs_unsqueezed ON blobs (squeezed) WHERE squeezed = 0;
CREATE INDEX blobs_loose ON blobs (created_at) WHERE loose = 1;

CREATE TABLE contents (
    blob  INTEGER PRIMARY KEY REFERENCES blobs (id),
    bytes BLOB NOT NULL
) STRICT;

-- Version n has the rows with since <= n < until. Only the until of a current
-- row, which is the largest number there is, is ever written; so a version never
-- changes, and an update costs the same however many files there are. The key
-- keeps the current rows of a project together, in the order of their names, and
-- no two of them with one folded name.
CREATE TABLE files (
    project INTEGER NOT NULL REFERENCES projects (num),
    until   INTEGER NOT NULL DEFAULT 9223372036854775807,
    folded  TEXT NOT NULL,
    name    TEXT NOT NULL,
    since   INTEGER NOT NULL,
    blob    INTEGER NOT NULL REFERENCES blobs (id),
    PRIMARY KEY (project, until, folded),
    CHECK (since < until)
) STRICT, WITHOUT ROWID;
CREATE INDEX files_blob ON files (blob);

CREATE TABLE variants (
    blob     INTEGER NOT NULL REFERENCES blobs (id),
    encoding TEXT NOT NULL,
    variant  INTEGER NOT NULL REFERENCES blobs (id),
    crc32    INTEGER NOT NULL,
    PRIMARY KEY (blob, encoding)
) STRICT, WITHOUT ROWID;
CREATE INDEX variants_variant ON variants (variant);

-- An upload without a key is over: its parts are still to be let go of.
CREATE TABLE uploads (
    num          INTEGER PRIMARY KEY,
    key          BLOB UNIQUE,
    owner        BLOB NOT NULL,
    meta         BLOB NOT NULL,
    total        INTEGER NOT NULL,
    generation   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    done_project TEXT,
    done_version INTEGER,
    done_part    INTEGER,
    done_sha256  BLOB,
    done_answer  BLOB
) STRICT;
CREATE INDEX uploads_expiry ON uploads (expires_at);
CREATE INDEX uploads_open ON uploads (owner, expires_at) WHERE done_project IS NULL;

CREATE TABLE upload_parts (
    upload INTEGER NOT NULL REFERENCES uploads (num),
    n      INTEGER NOT NULL,
    blob   INTEGER NOT NULL REFERENCES blobs (id),
    PRIMARY KEY (upload, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX upload_parts_blob ON upload_parts (blob);

-- An id is never used again, so that a worker whose claim has lapsed cannot
-- finish another job.
CREATE TABLE jobs (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     TEXT NOT NULL,
    account  INTEGER NOT NULL REFERENCES accounts (id),
    address  TEXT NOT NULL,
    lang     TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due      INTEGER NOT NULL
) STRICT;
CREATE INDEX jobs_due ON jobs (due);

CREATE TABLE mails (
    id      INTEGER PRIMARY KEY,
    mailbox BLOB NOT NULL,
    at      INTEGER NOT NULL
) STRICT;
CREATE INDEX mails_mailbox ON mails (mailbox, at);
CREATE INDEX mails_at ON mails (at);

CREATE TABLE verifications (
    token      BLOB PRIMARY KEY,
    account    INTEGER NOT NULL REFERENCES accounts (id),
    email      TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX verifications_account ON verifications (account);
CREATE INDEX verifications_expiry ON verifications (expires_at);

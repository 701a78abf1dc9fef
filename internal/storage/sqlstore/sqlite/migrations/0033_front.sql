-- oldest: 27, v0.1.0 goes on without holds: the triggers of lists are made anew under their names
--
-- Holds. hold: the rule by which others do not see the project. hold_end: when it ended, 0 while it lasts; one of the
-- rule fields also ends with the verification of the account. immune_until: until when reports hold nothing.
ALTER TABLE projects ADD COLUMN hold TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN hold_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN hold_end INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN immune_until INTEGER NOT NULL DEFAULT 0;
CREATE INDEX projects_held ON projects (hold_at) WHERE hold <> '' AND hold_end = 0;

-- When the operator vouched for an account: it then counts as verified.
ALTER TABLE accounts ADD COLUMN trusted_at INTEGER;

DROP TRIGGER projects_relisted;
CREATE TRIGGER projects_relisted AFTER UPDATE OF unlisted, suspended_at, deleted_at, hold, hold_end ON projects
BEGIN UPDATE projects SET listed = new.unlisted = 0 AND new.suspended_at IS NULL AND new.deleted_at IS NULL
        AND (new.hold = '' OR new.hold_end > 0)
        AND (SELECT (verified = 1 OR trusted_at IS NOT NULL OR (SELECT unverified FROM listing WHERE one = 1)) AND suspended_at IS NULL AND deleted_at IS NULL
            FROM accounts WHERE id = new.account)
    WHERE num = new.num;
END;

DROP TRIGGER accounts_followed;
CREATE TRIGGER accounts_followed AFTER UPDATE OF handle, verified, trusted_at, suspended_at, deleted_at ON accounts
WHEN new.projects > 0 AND (new.handle <> old.handle OR (old.deleted_at IS NULL) <> (new.deleted_at IS NULL)
    OR ((old.verified = 1 OR old.trusted_at IS NOT NULL) AND old.suspended_at IS NULL)
        <> ((new.verified = 1 OR new.trusted_at IS NOT NULL) AND new.suspended_at IS NULL))
BEGIN INSERT INTO follows (account, after) VALUES (new.id, 0) ON CONFLICT (account) DO UPDATE SET after = 0;
END;

-- The record that a message is about, by its kind.
ALTER TABLE jobs ADD COLUMN about INTEGER NOT NULL DEFAULT 0;

-- Networks that opened the address of a version while its project was held, as keyed hashes.
CREATE TABLE held_views (
    project INTEGER NOT NULL REFERENCES projects (num),
    version INTEGER NOT NULL,
    network BLOB NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (project, version, network)
) STRICT, WITHOUT ROWID;
CREATE INDEX held_views_at ON held_views (at);

-- Entries of the blocklist that were added one by one. until: 0 for no end.
CREATE TABLE blocked (
    id     INTEGER PRIMARY KEY,
    kind   TEXT NOT NULL,
    value  TEXT NOT NULL,
    reason TEXT NOT NULL,
    actor  TEXT NOT NULL,
    at     INTEGER NOT NULL,
    until  INTEGER NOT NULL,
    UNIQUE (kind, value)
) STRICT;
CREATE INDEX blocked_until ON blocked (until) WHERE until > 0;

-- Lists of the blocklist that were imported, each in one row: body has its sorted values, generation the number of the
-- blocklist that it came with.
CREATE TABLE blocklists (
    name   TEXT NOT NULL PRIMARY KEY,
    kind   TEXT NOT NULL,
    body   BLOB NOT NULL,
    lines  INTEGER NOT NULL,
    reason TEXT NOT NULL,
    actor  TEXT NOT NULL,
    at     INTEGER NOT NULL,
    until  INTEGER NOT NULL,
    generation INTEGER NOT NULL
) STRICT;
CREATE INDEX blocklists_until ON blocklists (until) WHERE until > 0;

-- generation grows with every change of the blocklist. Without a row it is 1; 0 stands for no check.
CREATE TABLE blocking (
    one        INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    generation INTEGER NOT NULL
) STRICT;

-- Networks from which accounts without a verified address published, as hashes under a key of the month: of the address,
-- and of the wider network around it.
CREATE TABLE publishers (
    account INTEGER NOT NULL REFERENCES accounts (id),
    network BLOB NOT NULL,
    wide    BLOB NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (account, network)
) STRICT, WITHOUT ROWID;
CREATE INDEX publishers_network ON publishers (network);
CREATE INDEX publishers_wide ON publishers (wide);
CREATE INDEX publishers_at ON publishers (at);

-- network: of the sender, as a keyed hash of each project, empty once the words are. via: the way by which the report
-- came. mailed: when the message about it is due, 0 if it has none. answer: the id of the last report of the message by
-- mail with which it came and was answered.
ALTER TABLE reports ADD COLUMN network BLOB NOT NULL DEFAULT x'';
ALTER TABLE reports ADD COLUMN via TEXT NOT NULL DEFAULT 'form';
ALTER TABLE reports ADD COLUMN mailed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reports ADD COLUMN answer INTEGER NOT NULL DEFAULT 0;
CREATE INDEX reports_project ON reports (project, id);
CREATE INDEX reports_answer ON reports (answer) WHERE answer > 0;
CREATE INDEX reports_networked ON reports (closed_at) WHERE closed_at IS NOT NULL AND length(network) > 0;
CREATE INDEX projects_held_by_reports ON projects (hold_at) WHERE hold = 'reports';

-- Trusted reporters, and the hashes of their tokens.
CREATE TABLE reporters (
    id       INTEGER PRIMARY KEY,
    hash     BLOB NOT NULL UNIQUE,
    name     TEXT NOT NULL,
    made_at  INTEGER NOT NULL,
    used_at  INTEGER NOT NULL DEFAULT 0,
    ended_at INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Decisions of moderators. One decision about many targets has a row for each, with the same batch. account: the target of
-- take-down-account. before: the state that undo brings back, as JSON. objection: the owner's text.
CREATE TABLE decisions (
    id          INTEGER PRIMARY KEY,
    batch       INTEGER NOT NULL,
    project     INTEGER NOT NULL REFERENCES projects (num),
    account     INTEGER NOT NULL REFERENCES accounts (id),
    action      TEXT NOT NULL,
    reason      TEXT NOT NULL,
    note        TEXT NOT NULL,
    actor       TEXT NOT NULL,
    moderator   INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    before      TEXT NOT NULL,
    code        BLOB UNIQUE,
    objection   TEXT NOT NULL DEFAULT '',
    objected_at INTEGER NOT NULL DEFAULT 0,
    undone_at   INTEGER NOT NULL DEFAULT 0,
    undone_by   TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX decisions_project ON decisions (project, id);
CREATE INDEX decisions_batch ON decisions (batch);
CREATE INDEX decisions_objected ON decisions (objected_at) WHERE objected_at > 0;

-- The desk looks for open reports of a project, and for projects with the same bytes.
CREATE INDEX reports_open ON reports (project, at, reason, network) WHERE closed_at IS NULL;
CREATE INDEX blobs_sha256 ON blobs (sha256);

-- Notes of moderators about a project.
CREATE TABLE notes (
    id      INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES projects (num),
    actor   TEXT NOT NULL,
    text    TEXT NOT NULL,
    at      INTEGER NOT NULL
) STRICT;
CREATE INDEX notes_project ON notes (project, id);

-- judged: the last version that the judge need not look at any more.
ALTER TABLE projects ADD COLUMN judged INTEGER NOT NULL DEFAULT 0;
CREATE INDEX projects_unjudged ON projects (updated_at) WHERE judged < version AND deleted_at IS NULL AND suspended_at IS NULL;

-- The last verdict of the judge about each project: pass, hold or refuse, at a time, 0 while there is none. judging: the
-- version that is being judged, tries how often that began.
CREATE TABLE verdicts (
    project      INTEGER NOT NULL PRIMARY KEY REFERENCES projects (num),
    version      INTEGER NOT NULL DEFAULT 0,
    answer       TEXT NOT NULL DEFAULT '',
    reason       TEXT NOT NULL DEFAULT '',
    at           INTEGER NOT NULL DEFAULT 0,
    reversed_at  INTEGER NOT NULL DEFAULT 0,
    judging      INTEGER NOT NULL DEFAULT 0,
    tries        INTEGER NOT NULL DEFAULT 0,
    leased_until INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX verdicts_waiting ON verdicts (at) WHERE answer IN ('hold', 'refuse') AND reversed_at = 0;
CREATE INDEX verdicts_at ON verdicts (at) WHERE at > 0;

-- Looks at the lists of other services, by service: when the last began, and when the last one without a failure did.
CREATE TABLE looks (
    service  TEXT NOT NULL PRIMARY KEY,
    tried_at INTEGER NOT NULL,
    done_at  INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- What the lists say about our hosts. found_at: since when the host is on the list, 0 if it is not.
CREATE TABLE sightings (
    host       TEXT NOT NULL,
    service    TEXT NOT NULL,
    found_at   INTEGER NOT NULL,
    checked_at INTEGER NOT NULL,
    PRIMARY KEY (host, service)
) STRICT, WITHOUT ROWID;

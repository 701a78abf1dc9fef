-- The schema of the first release. Times are microseconds since 1970, UTC. Hashes are SHA-256. 1 is yes, 0 is no.

-- "SDLT": tells this file from other people's databases.
PRAGMA application_id = 1396984916;

-- What is written to find out whether the disk has room again.
CREATE TABLE probe (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    bytes BLOB NOT NULL
) STRICT;

CREATE TABLE secrets (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- projects, bytes: what an account has, its projects that are not deleted, and the
-- bytes of the files of all versions. Triggers keep them, so that no statement that
-- adds or removes can forget it; but for new projects, whose INSERT would then look
-- for keys and files that wait for their project.
-- mailbox: what names.EmailKey makes of the address.
-- verified_at: when the address was verified; null if nobody knows.
-- seq counts the changes of the account's projects, in the order of commits.
-- changed: see projects.
CREATE TABLE accounts (
    id           INTEGER PRIMARY KEY,
    handle       TEXT NOT NULL,
    email        TEXT NOT NULL,
    verified     INTEGER NOT NULL,
    lang         TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    suspended_at INTEGER,
    deleted_at   INTEGER,
    projects     INTEGER NOT NULL DEFAULT 0,
    bytes        INTEGER NOT NULL DEFAULT 0,
    mailbox      TEXT GENERATED ALWAYS AS (CASE
        WHEN substr(lower(email), instr(email, '@')) IN ('@gmail.com', '@googlemail.com')
        THEN replace(substr(lower(email), 1, instr(replace(email, '@', '+'), '+') - 1), '.', '') || '@gmail.com'
        ELSE substr(lower(email), 1, instr(replace(email, '@', '+'), '+') - 1) || substr(lower(email), instr(email, '@'))
    END) VIRTUAL,
    verified_at  INTEGER,
    seq          INTEGER NOT NULL DEFAULT 0,
    changed      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX accounts_verified ON accounts (email COLLATE NOCASE) WHERE verified = 1;
CREATE INDEX accounts_claimed ON accounts (mailbox) WHERE verified = 0;

-- Every handle that was ever given out, also when its account has another now.
-- renamed_at: when it was taken by renaming; 0: it came with its account.
CREATE TABLE handles (
    handle     TEXT PRIMARY KEY,
    account    INTEGER NOT NULL REFERENCES accounts (id),
    renamed_at INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX handles_renamed ON handles (account, renamed_at) WHERE renamed_at > 0;

-- Rows are never deleted: the id of a deleted project is not used again.
-- oldest: the first version that is still kept. Files that ended with it or before it are
-- still to be let go of.
-- unlisted: 1 if its owner does not want the project in the gallery or on the profile. It is
-- as public as before for whoever has its address.
-- listed: 1 for what anybody may be shown in a list, of which only triggers and the
-- insert of a new project decide: the owner's address is verified, the owner wants
-- it, and neither project nor account is suspended or deleted.
-- description: what its owner says about it by hand. threads: 1 if its pages are to be
-- isolated as browsers ask for before threads may share memory.
-- counted: the number of the batch of counts that was added last: a batch is added once, and
-- who reads the counts knows whether it is among them.
-- changed grows with each step after which something else is read of a project: its own
-- with what is changed of it, its account's with what is changed of all its projects.
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
    deleted_at   INTEGER,
    suspended_at INTEGER,
    oldest       INTEGER NOT NULL DEFAULT 1,
    unlisted     INTEGER NOT NULL DEFAULT 0,
    listed       INTEGER NOT NULL DEFAULT 0,
    description  TEXT NOT NULL DEFAULT '',
    threads      INTEGER NOT NULL DEFAULT 0,
    counted      INTEGER NOT NULL DEFAULT 0,
    changed      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX projects_account ON projects (account, seq);
CREATE INDEX projects_listed ON projects (listed) WHERE listed = 1;
CREATE INDEX projects_profile ON projects (account) WHERE listed = 1;

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
CREATE INDEX keys_account ON keys (account);

-- title: the project's, as each version left it. primary_file: what is served for "/",
-- as each version left it. erased_at: when the owner erased it; null: its files are there.
CREATE TABLE versions (
    project      INTEGER NOT NULL REFERENCES projects (num),
    n            INTEGER NOT NULL,
    suffix       TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    title        TEXT NOT NULL DEFAULT '',
    primary_file TEXT NOT NULL DEFAULT '',
    erased_at    INTEGER,
    PRIMARY KEY (project, n)
) STRICT, WITHOUT ROWID;

-- Bytes that never change: those that ref names, or those in contents if ref is
-- null. An id is never used again, for caches know bytes by it.
-- squeezed: null for what is no file, 0 for a file whose variants are still to be
-- made, 1 once they are. loose: a reference went away, and nobody has looked yet
-- whether it was the last. leased_until: until when somebody makes its variants, by the
-- clock of the database.
CREATE TABLE blobs (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    ref          TEXT,
    size         INTEGER NOT NULL,
    sha256       BLOB NOT NULL,
    is_text      INTEGER NOT NULL,
    squeezed     INTEGER,
    loose        INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    leased_until INTEGER NOT NULL DEFAULT 0
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
-- token: the hash of the upload_token; null where a key says whose the upload is.
-- received: a bit for each part that came. bytes: of the parts as they are; held: of
-- all that were sent, also those replaced since. account: null without a key.
-- owner56, owner48: the networks of 56 and of 48 bits around the address that began an upload without a
-- key; null for others.
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
    done_answer  BLOB,
    token        BLOB,
    account      INTEGER,
    received     BLOB NOT NULL DEFAULT x'',
    bytes        INTEGER NOT NULL DEFAULT 0,
    held         INTEGER NOT NULL DEFAULT 0,
    done_made    BLOB,
    owner56      BLOB,
    owner48      BLOB
) STRICT;
CREATE INDEX uploads_expiry ON uploads (expires_at);
CREATE UNIQUE INDEX uploads_token ON uploads (token) WHERE token IS NOT NULL;
CREATE INDEX uploads_open ON uploads (owner, expires_at, held) WHERE done_project IS NULL;
CREATE INDEX uploads_account ON uploads (account, expires_at, held) WHERE account IS NOT NULL AND done_project IS NULL;
CREATE INDEX uploads_open56 ON uploads (owner56, expires_at, held) WHERE owner56 IS NOT NULL AND done_project IS NULL;
CREATE INDEX uploads_open48 ON uploads (owner48, expires_at, held) WHERE owner48 IS NOT NULL AND done_project IS NULL;

CREATE TABLE upload_parts (
    upload INTEGER NOT NULL REFERENCES uploads (num),
    n      INTEGER NOT NULL,
    blob   INTEGER NOT NULL REFERENCES blobs (id),
    PRIMARY KEY (upload, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX upload_parts_blob ON upload_parts (blob);

-- A message is counted before it is sent, once in each of its shares, which
-- mailbox names; a job that ends without a message is taken out again.
CREATE TABLE mails (
    id      INTEGER PRIMARY KEY,
    mailbox BLOB NOT NULL,
    at      INTEGER NOT NULL,
    job     INTEGER
) STRICT;
CREATE INDEX mails_mailbox ON mails (mailbox, at);
CREATE INDEX mails_at ON mails (at);
CREATE INDEX mails_job ON mails (job) WHERE job IS NOT NULL;

CREATE TABLE verifications (
    token      BLOB PRIMARY KEY,
    account    INTEGER NOT NULL REFERENCES accounts (id),
    email      TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX verifications_account ON verifications (account);
CREATE INDEX verifications_expiry ON verifications (expires_at);

-- Deleted projects whose files and versions are still to be let go of.
-- at: when the project was deleted. Its files go a day later, the oldest first.
CREATE TABLE removals (
    project INTEGER PRIMARY KEY REFERENCES projects (num),
    at      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX removals_at ON removals (at);

-- The audit log. It grows and never changes; the triggers refuse whoever forgets.
-- name: who did it, where an actor has several people.
CREATE TABLE acts (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL,
    actor  TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    reason TEXT NOT NULL,
    name   TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX acts_target ON acts (target, id);

-- What is left for a day of each step that was made under an Idempotency-Key.
-- account 0 and project '' are none. mail: 0 no address came with the call, 1 it
-- was set, 2 it was ignored.
-- made: what an answer that is given again tells of its version, which may be erased.
CREATE TABLE once (
    key        BLOB PRIMARY KEY,
    request    BLOB NOT NULL,
    expires_at INTEGER NOT NULL,
    account    INTEGER NOT NULL,
    project    TEXT NOT NULL,
    version    INTEGER NOT NULL,
    mail       INTEGER NOT NULL,
    answer     BLOB NOT NULL,
    made       BLOB NOT NULL DEFAULT x''
) STRICT, WITHOUT ROWID;
CREATE INDEX once_expiry ON once (expires_at);

-- Browsers that have logged in. hash is that of the cookie's token.
CREATE TABLE sessions (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    hash       BLOB NOT NULL UNIQUE,
    account    INTEGER NOT NULL REFERENCES accounts (id),
    agent      TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    proved_at  INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_account ON sessions (account);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- How often a project was played on a day, which is its number since 1970-01-01,
-- UTC. The days are kept together: today's rows are the ones that are written, and
-- the oldest ones go all at once.
CREATE TABLE play_days (
    day     INTEGER NOT NULL,
    project INTEGER NOT NULL REFERENCES projects (num),
    plays   INTEGER NOT NULL,
    PRIMARY KEY (day, project)
) STRICT, WITHOUT ROWID;

-- Browsers that want to log in. token and code are hashes of what the message
-- says; they are NULL before it is written, and once one of them was used.
CREATE TABLE logins (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    browser    BLOB NOT NULL UNIQUE,
    token      BLOB UNIQUE,
    code       BLOB,
    email      TEXT NOT NULL,
    back       TEXT NOT NULL,
    tries      INTEGER NOT NULL,
    proved     INTEGER NOT NULL,
    asked_at   INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    mailbox    TEXT GENERATED ALWAYS AS (CASE
        WHEN substr(lower(email), instr(email, '@')) IN ('@gmail.com', '@googlemail.com')
        THEN replace(substr(lower(email), 1, instr(replace(email, '@', '+'), '+') - 1), '.', '') || '@gmail.com'
        ELSE substr(lower(email), 1, instr(replace(email, '@', '+'), '+') - 1) || substr(lower(email), instr(email, '@'))
    END) VIRTUAL
) STRICT;
CREATE INDEX logins_expiry ON logins (expires_at);
CREATE INDEX logins_email ON logins (mailbox);

-- An id is never used again, so that a worker whose claim has lapsed cannot
-- finish another job.
-- The message of a login belongs to no account. asker, network: who asked for a
-- message, nothing for a stranger, and the hash of a network. leased_until: until when
-- somebody sends it, by the clock of the database.
CREATE TABLE jobs (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    kind         TEXT NOT NULL,
    account      INTEGER REFERENCES accounts (id),
    login        INTEGER,
    address      TEXT NOT NULL,
    lang         TEXT NOT NULL,
    attempts     INTEGER NOT NULL,
    due          INTEGER NOT NULL,
    asker        TEXT NOT NULL DEFAULT '',
    network      BLOB NOT NULL DEFAULT x'0000000000000000000000000000000000000000000000000000000000000000',
    leased_until INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX jobs_due ON jobs (due);

-- Other addresses that accounts may get: a proposal, or, if undo, the one before.
-- Numbers grow with time. token is the hash of what a link has.
CREATE TABLE email_moves (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account    INTEGER NOT NULL REFERENCES accounts (id),
    email      TEXT NOT NULL,
    undo       INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    mailbox    TEXT GENERATED ALWAYS AS (CASE
        WHEN substr(lower(email), instr(email, '@')) IN ('@gmail.com', '@googlemail.com')
        THEN replace(substr(lower(email), 1, instr(replace(email, '@', '+'), '+') - 1), '.', '') || '@gmail.com'
        ELSE substr(lower(email), 1, instr(replace(email, '@', '+'), '+') - 1) || substr(lower(email), instr(email, '@'))
    END) VIRTUAL
) STRICT;
CREATE INDEX email_moves_account ON email_moves (account);
CREATE INDEX email_moves_expiry ON email_moves (expires_at);
CREATE INDEX email_moves_email ON email_moves (mailbox) WHERE undo = 0;

CREATE TABLE email_links (
    token BLOB PRIMARY KEY,
    move  INTEGER NOT NULL REFERENCES email_moves (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX email_links_move ON email_links (move);

-- The words of listed projects, by the number of the project.
CREATE VIRTUAL TABLE listings USING fts5 (title, handle, tokenize = "unicode61 remove_diacritics 2");
-- Words that are removed leave no trace in the index.
INSERT INTO listings (listings, rank) VALUES ('secure-delete', 1);

-- What somebody has to say against a project, which may be gone. form is a hash of
-- the form it came by, job the message that tells the operator of it.
-- closed_at: when the operator was done with it; null: it is open. Some time later what
-- somebody wrote in it goes.
CREATE TABLE reports (
    id        INTEGER PRIMARY KEY,
    number    TEXT NOT NULL UNIQUE,
    form      BLOB NOT NULL UNIQUE,
    project   TEXT NOT NULL,
    reason    TEXT NOT NULL,
    details   TEXT NOT NULL,
    contact   TEXT NOT NULL,
    job       INTEGER,
    at        INTEGER NOT NULL,
    closed_at INTEGER
) STRICT;
CREATE INDEX reports_job ON reports (job) WHERE job IS NOT NULL;
CREATE INDEX reports_closed ON reports (closed_at) WHERE closed_at IS NOT NULL AND (details <> '' OR contact <> '');

-- Who likes what. visitor is a hash of the visitor's token under the installation's
-- secret, another for each project. counted: whether it is in the project's likes.
CREATE TABLE likes (
    project INTEGER NOT NULL REFERENCES projects (num),
    visitor BLOB NOT NULL,
    counted INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (project, visitor)
) STRICT, WITHOUT ROWID;

-- Mailboxes that want no messages of a kind. until: 0 if that does not end by
-- itself. mailbox is the hash that mails has, too.
CREATE TABLE stops (
    id      INTEGER PRIMARY KEY,
    mailbox BLOB NOT NULL,
    kind    TEXT NOT NULL,
    at      INTEGER NOT NULL,
    until   INTEGER NOT NULL,
    UNIQUE (mailbox, kind)
) STRICT;
CREATE INDEX stops_expiry ON stops (until) WHERE until > 0;

-- What time it was when the clock was last known to go right.
CREATE TABLE clock (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    at  INTEGER NOT NULL
) STRICT;

-- Accounts that were renamed, verified, suspended, restored or deleted, whose projects
-- still have to follow. Those up to the number after in the order of seq have.
CREATE TABLE follows (
    account INTEGER PRIMARY KEY REFERENCES accounts (id),
    after   INTEGER NOT NULL
) STRICT;

-- Versions that were erased, whose files are still to be let go of.
CREATE TABLE erasures (
    project INTEGER NOT NULL REFERENCES projects (num),
    n       INTEGER NOT NULL,
    PRIMARY KEY (project, n)
) STRICT, WITHOUT ROWID;

-- The next version of a project, n, while its files are recorded in steps: those that it
-- drops have it as their until, those that it puts as their since. Readers go by the
-- project's version, and so see none of it before that is n. undone: it is being taken
-- back.
CREATE TABLE drafts (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    project INTEGER NOT NULL UNIQUE REFERENCES projects (num),
    n       INTEGER NOT NULL,
    undone  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Whether projects of accounts without a verified address are listed, too: where the
-- service is local. A project's listed follows it like it follows the account.
CREATE TABLE listing (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    unverified INTEGER NOT NULL
) STRICT;
INSERT INTO listing (one, unverified) VALUES (1, 0);

-- Deleted accounts of which something is still in other records, or in messages that
-- are files: with each address that one had, or was about to have; '' stands for the
-- account itself. proved: 1 if its owner had shown to read there.
CREATE TABLE forgets (
    account INTEGER NOT NULL REFERENCES accounts (id),
    email   TEXT NOT NULL,
    proved  INTEGER NOT NULL,
    PRIMARY KEY (account, email)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER acts_no_update BEFORE UPDATE ON acts
BEGIN SELECT raise(ABORT, 'the audit log is never changed'); END;

CREATE TRIGGER acts_no_delete BEFORE DELETE ON acts
BEGIN SELECT raise(ABORT, 'the audit log is never changed'); END;

CREATE TRIGGER acts_no_replace BEFORE INSERT ON acts WHEN EXISTS (SELECT 1 FROM acts WHERE id = NEW.id)
BEGIN SELECT raise(ABORT, 'the audit log is never changed'); END;

CREATE TRIGGER projects_removed AFTER UPDATE OF deleted_at ON projects WHEN (old.deleted_at IS NULL) <> (new.deleted_at IS NULL) BEGIN
    UPDATE accounts SET projects = projects + (CASE WHEN new.deleted_at IS NULL THEN 1 ELSE -1 END) WHERE id = new.account;
END;

CREATE TRIGGER files_added AFTER INSERT ON files BEGIN
    UPDATE accounts SET bytes = bytes + (SELECT size FROM blobs WHERE id = new.blob)
    WHERE id = (SELECT account FROM projects WHERE num = new.project);
END;

CREATE TRIGGER files_removed AFTER DELETE ON files BEGIN
    UPDATE accounts SET bytes = bytes - (SELECT size FROM blobs WHERE id = old.blob)
    WHERE id = (SELECT account FROM projects WHERE num = old.project);
END;

CREATE TRIGGER listings_added AFTER UPDATE OF listed ON projects WHEN new.listed > old.listed BEGIN
    INSERT INTO listings (rowid, title, handle) SELECT new.num, new.title, handle FROM accounts WHERE id = new.account;
END;

CREATE TRIGGER listings_removed AFTER UPDATE OF listed ON projects WHEN new.listed < old.listed BEGIN
    DELETE FROM listings WHERE rowid = new.num;
END;

CREATE TRIGGER listings_titled AFTER UPDATE OF title ON projects WHEN new.listed = 1 AND new.title <> old.title BEGIN
    UPDATE listings SET title = new.title WHERE rowid = new.num;
END;

CREATE TRIGGER accounts_followed AFTER UPDATE OF handle, verified, suspended_at, deleted_at ON accounts
WHEN new.projects > 0 AND (new.handle <> old.handle OR (old.deleted_at IS NULL) <> (new.deleted_at IS NULL)
    OR (old.verified = 1 AND old.suspended_at IS NULL) <> (new.verified = 1 AND new.suspended_at IS NULL)) BEGIN
    INSERT INTO follows (account, after) VALUES (new.id, 0) ON CONFLICT (account) DO UPDATE SET after = 0;
END;

CREATE TRIGGER projects_relisted AFTER UPDATE OF unlisted, suspended_at, deleted_at ON projects BEGIN
    UPDATE projects SET listed = new.unlisted = 0 AND new.suspended_at IS NULL AND new.deleted_at IS NULL
        AND (SELECT (verified = 1 OR (SELECT unverified FROM listing WHERE one = 1)) AND suspended_at IS NULL AND deleted_at IS NULL FROM accounts WHERE id = new.account)
    WHERE num = new.num;
END;

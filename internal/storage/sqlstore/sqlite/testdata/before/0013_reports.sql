-- What somebody has to say against a project, which may be gone. form is a hash of
-- the form it came by, job the message that tells the operator of it.
CREATE TABLE reports (
    id      INTEGER PRIMARY KEY,
    number  TEXT NOT NULL UNIQUE,
    form    BLOB NOT NULL UNIQUE,
    project TEXT NOT NULL,
    reason  TEXT NOT NULL,
    details TEXT NOT NULL,
    contact TEXT NOT NULL,
    job     INTEGER,
    at      INTEGER NOT NULL
) STRICT;
CREATE INDEX reports_job ON reports (job) WHERE job IS NOT NULL;

-- oldest: 25
--
-- role: what the operator lets an account do on the website; '' is nothing. most_projects: its own limit; 0: none.
ALTER TABLE accounts ADD COLUMN role TEXT NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN most_projects INTEGER NOT NULL DEFAULT 0;

-- Links that open an account each. token is the hash of what a link has; made_by the name of the person who made it.
-- projects: the most_projects of the account. used_at, ended_at: 0 for one that was not. account: the one that it opened.
CREATE TABLE invitations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    token      BLOB NOT NULL UNIQUE,
    projects   INTEGER NOT NULL,
    made_by    TEXT NOT NULL,
    made_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL DEFAULT 0,
    ended_at   INTEGER NOT NULL DEFAULT 0,
    account    INTEGER REFERENCES accounts (id)
) STRICT;
CREATE INDEX invitations_expiry ON invitations (expires_at);

-- People of an OpenID provider, with the account that each enters.
CREATE TABLE identities (
    issuer    TEXT NOT NULL,
    subject   TEXT NOT NULL,
    account   INTEGER NOT NULL REFERENCES accounts (id),
    linked_at INTEGER NOT NULL,
    PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_account ON identities (account);

-- The project that the operator pinned to the home page.
CREATE TABLE featured (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    project INTEGER NOT NULL REFERENCES projects (num)
) STRICT;

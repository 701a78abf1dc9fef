-- Deleted accounts of which something is still in other records, or in messages that
-- are files: with each address that one had, or was about to have; '' stands for the
-- account itself. proved: 1 if its owner had shown to read there.
CREATE TABLE forgets (
    account INTEGER NOT NULL REFERENCES accounts (id),
    email   TEXT NOT NULL,
    proved  INTEGER NOT NULL,
    PRIMARY KEY (account, email)
) STRICT, WITHOUT ROWID;

-- What was deleted before, of which more than its address is to be forgotten. What calls
-- left expires within a day.
UPDATE keys SET name = '', last_four = '' WHERE account IN (SELECT id FROM accounts WHERE deleted_at IS NOT NULL);
UPDATE projects SET description = '', primary_file = '' WHERE deleted_at IS NOT NULL;

-- When the operator was done with a report; null: it is open. Some time later what
-- somebody wrote in it goes.
ALTER TABLE reports ADD COLUMN closed_at INTEGER;
CREATE INDEX reports_closed ON reports (closed_at) WHERE closed_at IS NOT NULL AND (details <> '' OR contact <> '');

-- Who did it, where an actor has several people.
ALTER TABLE acts ADD COLUMN name TEXT NOT NULL DEFAULT '';

-- Words that are removed leave no trace in the index, and those that were removed
-- before are not in a new one.
INSERT INTO listings (listings, rank) VALUES ('secure-delete', 1);
INSERT INTO listings (listings) VALUES ('rebuild');

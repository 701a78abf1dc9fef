-- Changes are counted for each account, so that no row is written by every step. seq
-- orders the projects of one account by their last change.
ALTER TABLE accounts ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
UPDATE accounts SET seq = coalesce((SELECT max(p.seq) FROM projects p WHERE p.account = accounts.id), 0);
DROP TABLE counter;

-- changed grows with each step after which something else is read of a project: its own
-- with what is changed of it, its account's with what is changed of all its projects.
ALTER TABLE projects ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;

-- Until when somebody is at it, by the clock of the database. It lapses by itself.
ALTER TABLE jobs ADD COLUMN leased_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE blobs ADD COLUMN leased_until INTEGER NOT NULL DEFAULT 0;

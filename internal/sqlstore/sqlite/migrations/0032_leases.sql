-- Until when somebody is at it, by the clock of the database. It lapses by itself.
ALTER TABLE jobs ADD COLUMN leased_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE blobs ADD COLUMN leased_until INTEGER NOT NULL DEFAULT 0;

-- The first version that is still kept. Files that ended with it or before it are
-- still to be let go of.
ALTER TABLE projects ADD COLUMN oldest INTEGER NOT NULL DEFAULT 1;

-- expands: a column with a default, which the release before neither reads nor writes.
--
-- The cover of a project: the id of its picture, empty where it has none.
ALTER TABLE projects ADD COLUMN cover TEXT COLLATE "C" NOT NULL DEFAULT '';

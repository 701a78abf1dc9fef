-- The cover of a project: the id of its picture, empty where it has none.
ALTER TABLE projects ADD COLUMN cover TEXT NOT NULL DEFAULT '';

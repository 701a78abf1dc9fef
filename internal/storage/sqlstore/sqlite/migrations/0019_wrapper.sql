-- The folder that was last taken off from around all files of a project, with its slash; empty where none was.
ALTER TABLE projects ADD COLUMN wrapper TEXT NOT NULL DEFAULT '';

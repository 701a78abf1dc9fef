-- expands: a column with a default, which a node of the release before neither reads nor writes: what it unwraps meanwhile is not known to have been.
--
-- The folder that was last taken off from around all files of a project, with its slash; empty where none was.
ALTER TABLE projects ADD COLUMN wrapper TEXT COLLATE "C" NOT NULL DEFAULT '';

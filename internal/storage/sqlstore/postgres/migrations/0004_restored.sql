-- expands: a column with a default, which a node of the release before neither reads nor writes: what it restores meanwhile is not known to be restored.
--
-- The version whose files a version has again, 0 for one that was not restored.
ALTER TABLE versions ADD COLUMN restored_from BIGINT NOT NULL DEFAULT 0;

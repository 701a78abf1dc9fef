-- The version whose files a version has again, 0 for one that was not restored.
ALTER TABLE versions ADD COLUMN restored_from INTEGER NOT NULL DEFAULT 0;

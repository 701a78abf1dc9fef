-- Searches look through texts in memory: what kept them here goes.
DROP TRIGGER search_texts_changed;
DROP TRIGGER search_texts_tagged;
DROP TRIGGER search_texts_filed;
DROP TRIGGER search_texts_gone;
DROP TABLE search_texts;
DROP TABLE search_grams;
DROP TABLE search_filings;
ALTER TABLE listing DROP COLUMN unsearched;

-- stamp: the number of the last change of what lists and searches have of a project since it was made: its title, its
-- tags, its account's handle, whether it is listed. Higher than all before it; 0 for none.
ALTER TABLE projects ADD COLUMN stamp INTEGER NOT NULL DEFAULT 0;
CREATE INDEX projects_stamp ON projects (stamp) WHERE stamp > 0;

-- But for the handle, which projects get in steps.
CREATE TRIGGER projects_stamped AFTER UPDATE OF listed, title, tags ON projects
WHEN new.listed <> old.listed OR (new.listed = 1 AND (new.title <> old.title OR new.tags <> old.tags)) BEGIN
    UPDATE projects SET stamp = (SELECT coalesce(max(stamp), 0) + 1 FROM projects WHERE stamp > 0) WHERE num = new.num;
END;

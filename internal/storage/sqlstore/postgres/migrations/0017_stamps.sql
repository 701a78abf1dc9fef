-- Searches look through texts in memory: what kept them here goes. See the migration of SQLite.
DROP TRIGGER search_texts_changed ON projects;
DROP TRIGGER search_texts_tagged ON projects;
DROP TABLE search_texts;
DROP TABLE search_grams;
DROP TABLE search_filings;
DROP FUNCTION search_texts_changed();
DROP FUNCTION search_texts_filed();
ALTER TABLE listing DROP COLUMN unsearched;

ALTER TABLE projects ADD COLUMN stamp BIGINT NOT NULL DEFAULT 0;
CREATE INDEX projects_stamp ON projects (stamp) WHERE stamp > 0;

-- Before the row is written, and after projects_relisted by its name.
CREATE FUNCTION projects_stamped() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    new.stamp := (SELECT coalesce(max(stamp), 0) + 1 FROM projects WHERE stamp > 0);
    RETURN new;
END $$;
CREATE TRIGGER projects_stamped BEFORE UPDATE ON projects FOR EACH ROW
WHEN (new.listed <> old.listed OR (new.listed = 1 AND (new.title <> old.title OR new.tags <> old.tags))) EXECUTE FUNCTION projects_stamped();

-- expands: to a node of the release before no project has tags, and what it changes of a project the triggers follow.
--
-- What owners file their projects under: see the migration of SQLite.
ALTER TABLE projects ADD COLUMN tags TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE TABLE project_tags (
    tag     TEXT COLLATE "C" NOT NULL,
    project BIGINT NOT NULL REFERENCES projects (num),
    PRIMARY KEY (tag, project)
);

CREATE FUNCTION project_tags_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM project_tags WHERE project = new.num AND tag = ANY (string_to_array(old.tags || ' ' || new.tags, ' '));
    IF new.listed = 1 AND new.tags <> '' THEN
        INSERT INTO project_tags (tag, project) SELECT t, new.num FROM unnest(string_to_array(new.tags, ' ')) t ON CONFLICT (tag, project) DO NOTHING;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER project_tags_changed AFTER UPDATE ON projects FOR EACH ROW
WHEN (new.listed <> old.listed OR new.tags <> old.tags) EXECUTE FUNCTION project_tags_changed();

CREATE TRIGGER search_texts_tagged AFTER UPDATE ON projects FOR EACH ROW
WHEN (new.listed = 1 AND new.tags <> old.tags) EXECUTE FUNCTION search_texts_changed();

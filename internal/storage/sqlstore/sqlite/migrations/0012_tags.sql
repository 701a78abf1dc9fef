-- What owners file their projects under: tags with a blank between two, of which each is in project_tags, too, while the
-- project is listed. Triggers see to that, but for new projects. No tag has a character that means something in JSON.
ALTER TABLE projects ADD COLUMN tags TEXT NOT NULL DEFAULT '';

CREATE TABLE project_tags (
    tag     TEXT NOT NULL,
    project INTEGER NOT NULL REFERENCES projects (num),
    PRIMARY KEY (tag, project)
) STRICT, WITHOUT ROWID;

-- A trigger that is called by another may come before this one: then listed is newer than new.listed.
CREATE TRIGGER project_tags_changed AFTER UPDATE OF listed, tags ON projects WHEN new.listed <> old.listed OR new.tags <> old.tags BEGIN
    DELETE FROM project_tags WHERE project = new.num
        AND tag IN (SELECT value FROM json_each('["' || replace(old.tags || ' ' || new.tags, ' ', '","') || '"]'));
    INSERT INTO project_tags (tag, project) SELECT j.value, p.num
        FROM projects p JOIN json_each('["' || replace(p.tags, ' ', '","') || '"]') j WHERE p.num = new.num AND p.listed = 1 AND p.tags <> ''
        ON CONFLICT (tag, project) DO NOTHING;
END;

CREATE TRIGGER search_texts_tagged AFTER UPDATE OF tags ON projects WHEN new.listed = 1 AND new.tags <> old.tags BEGIN
    INSERT INTO search_texts (project, text, due) VALUES (new.num, '', 2)
    ON CONFLICT (project) DO UPDATE SET filed = CASE due WHEN 0 THEN text ELSE filed END, text = '', due = 2;
END;

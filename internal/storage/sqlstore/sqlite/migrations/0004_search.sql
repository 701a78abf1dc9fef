-- A search is by parts of words, in tables that are the same in every database.
DROP TRIGGER listings_added;
DROP TRIGGER listings_removed;
DROP TRIGGER listings_titled;
DROP TABLE listings;

-- What a search looks at of each listed project. text: its title and its account's handle,
-- each as names.Searchable makes it. due: 0 where the grams of the text are filed; 1 where
-- they are not, and such are looked through one by one; 2 where the text is to be made
-- anew. In these two filed is the text whose grams are filed.
CREATE TABLE search_texts (
    project INTEGER PRIMARY KEY REFERENCES projects (num),
    text    TEXT NOT NULL,
    filed   TEXT NOT NULL DEFAULT '',
    due     INTEGER NOT NULL
) STRICT;
CREATE INDEX search_texts_due ON search_texts (due, project) WHERE due > 0;

-- Which projects have a gram, one character or two in a row, somewhere in their text: of
-- each 32 projects, block, those whose bits are set. part is 64 blocks, whose rows are
-- together, so that new projects change few pages. gram is a hash, and bits may be left of
-- what was so once: what is found is held against the text.
CREATE TABLE search_grams (
    part  INTEGER NOT NULL,
    gram  INTEGER NOT NULL,
    block INTEGER NOT NULL,
    bits  INTEGER NOT NULL,
    PRIMARY KEY (part, gram, block)
) STRICT, WITHOUT ROWID;

-- unsearched: listed projects up to this number may have no text yet.
ALTER TABLE listing ADD COLUMN unsearched INTEGER NOT NULL DEFAULT 0;
UPDATE listing SET unsearched = (SELECT coalesce(max(num), 0) FROM projects);

-- The text is made by the step that changes a project, or by Sweep: SQL cannot.
CREATE TRIGGER search_texts_changed AFTER UPDATE OF listed, title ON projects
WHEN new.listed <> old.listed OR (new.listed = 1 AND new.title <> old.title) BEGIN
    INSERT INTO search_texts (project, text, due) VALUES (new.num, '', 2)
    ON CONFLICT (project) DO UPDATE SET filed = CASE due WHEN 0 THEN text ELSE filed END, text = '', due = 2;
END;

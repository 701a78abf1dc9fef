-- What became of texts of the search, in the order in which it was committed: nodes that keep
-- texts in memory read those again. Old rows go as new ones come.
CREATE TABLE search_filings (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    project INTEGER NOT NULL
) STRICT;
CREATE TRIGGER search_texts_filed AFTER UPDATE OF due ON search_texts
WHEN new.due = 0 BEGIN
    INSERT INTO search_filings (project) VALUES (new.project);
END;
CREATE TRIGGER search_texts_gone AFTER DELETE ON search_texts BEGIN
    INSERT INTO search_filings (project) VALUES (old.project);
END;

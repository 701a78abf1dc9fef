-- Who likes what. visitor and today are hashes under the installation's secret,
-- others for each project: of the visitor's token, and of what tells the visitors
-- of one day apart.
CREATE TABLE likes (
    project INTEGER NOT NULL REFERENCES projects (num),
    visitor BLOB NOT NULL,
    today   BLOB NOT NULL,
    PRIMARY KEY (project, visitor)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX likes_today ON likes (project, today);

-- Which loads of the last half hour counted as plays, where several processes count them: of
-- each, a hash of its project and its visitor, which is a hash with a day's salt itself.
CREATE TABLE loads (
    load INTEGER PRIMARY KEY,
    at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX loads_at ON loads (at);

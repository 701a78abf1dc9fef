-- What owners of accounts say about themselves, where they say anything.
CREATE TABLE people (
    account INTEGER PRIMARY KEY REFERENCES accounts (id),
    line    TEXT NOT NULL,
    link    TEXT NOT NULL
) STRICT;

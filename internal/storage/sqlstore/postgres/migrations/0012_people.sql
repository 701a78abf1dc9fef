-- expands: a table that no node of the release before asks.
--
-- What owners of accounts say about themselves, where they say anything.
CREATE TABLE people (
    account BIGINT PRIMARY KEY REFERENCES accounts (id),
    line    TEXT COLLATE "C" NOT NULL,
    link    TEXT COLLATE "C" NOT NULL
);

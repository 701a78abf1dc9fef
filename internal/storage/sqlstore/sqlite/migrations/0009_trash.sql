-- Deleted projects that their owners can still take back, each with its account and since
-- when. Their rows say deleted_at as those of all deleted projects, and so nobody else finds
-- them; what belongs to them stays until they go to removals.
CREATE TABLE trash (
    project INTEGER PRIMARY KEY REFERENCES projects (num),
    account INTEGER NOT NULL REFERENCES accounts (id),
    at      INTEGER NOT NULL
) STRICT;
CREATE INDEX trash_account ON trash (account);
CREATE INDEX trash_at ON trash (at);

-- What time it was when the clock was last known to go right.
CREATE TABLE clock (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    at  INTEGER NOT NULL
) STRICT;

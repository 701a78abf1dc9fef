-- The state of a blob's SHA-256 after each MiB but the last, 32 bytes each, by which a range
-- is checked without the rest. Apart, for only ranges need it. A blob of up to 1 MiB has no
-- row, and neither has one that was recorded before there was this table.
CREATE TABLE checkpoints (
    blob   INTEGER PRIMARY KEY REFERENCES blobs (id) ON DELETE CASCADE,
    points BLOB NOT NULL
) STRICT;

-- The networks of 56 and of 48 bits around the address that began an upload without a
-- key; null for others, and for what is older.
ALTER TABLE uploads ADD COLUMN owner56 BLOB;
ALTER TABLE uploads ADD COLUMN owner48 BLOB;
CREATE INDEX uploads_open56 ON uploads (owner56, expires_at, held) WHERE owner56 IS NOT NULL AND done_project IS NULL;
CREATE INDEX uploads_open48 ON uploads (owner48, expires_at, held) WHERE owner48 IS NOT NULL AND done_project IS NULL;

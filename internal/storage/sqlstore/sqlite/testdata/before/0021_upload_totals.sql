-- received: a bit for each part that came. bytes: of the parts as they are; held: of
-- all that were sent, also those replaced since. account: null without a key.
ALTER TABLE uploads ADD COLUMN account INTEGER;
ALTER TABLE uploads ADD COLUMN received BLOB NOT NULL DEFAULT x'';
ALTER TABLE uploads ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE uploads ADD COLUMN held INTEGER NOT NULL DEFAULT 0;

-- Of unfinished ones nobody has counted the parts: they end, as after a day.
UPDATE uploads SET key = NULL, token = NULL, expires_at = 0 WHERE done_project IS NULL;

DROP INDEX uploads_open;
CREATE INDEX uploads_open ON uploads (owner, expires_at, held) WHERE done_project IS NULL;
CREATE INDEX uploads_account ON uploads (account, expires_at, held) WHERE account IS NOT NULL AND done_project IS NULL;

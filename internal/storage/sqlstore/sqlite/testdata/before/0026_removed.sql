-- When the project was deleted: its files go a day later, the oldest first. Those
-- that wait already may go at once.
ALTER TABLE removals ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX removals_at ON removals (at);

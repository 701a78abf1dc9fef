-- The number of the batch of counts that was added last: a batch is added once, and
-- who reads the counts knows whether it is among them.
ALTER TABLE projects ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;

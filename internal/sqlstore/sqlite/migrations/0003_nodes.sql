-- A version that is recorded in steps is its holder's until then, who may be another process.
ALTER TABLE drafts ADD COLUMN holder TEXT NOT NULL DEFAULT '';
ALTER TABLE drafts ADD COLUMN leased_until INTEGER NOT NULL DEFAULT 0;

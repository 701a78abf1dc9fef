-- When the address of an account was verified; null if nobody knows.
ALTER TABLE accounts ADD COLUMN verified_at INTEGER;

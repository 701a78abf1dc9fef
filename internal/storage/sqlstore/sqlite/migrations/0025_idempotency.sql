-- The table has the name of its records.
ALTER TABLE once RENAME TO idempotency;
DROP INDEX once_expiry;
CREATE INDEX idempotency_expiry ON idempotency (expires_at);

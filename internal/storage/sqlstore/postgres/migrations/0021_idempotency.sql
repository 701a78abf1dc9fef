-- The table has the name of its records.
ALTER TABLE once RENAME TO idempotency;
ALTER INDEX once_pkey RENAME TO idempotency_pkey;
ALTER INDEX once_expiry RENAME TO idempotency_expiry;

-- The mailbox of an account is written with its address, as in SQLite.
ALTER TABLE accounts ALTER COLUMN mailbox DROP EXPRESSION;
ALTER TABLE accounts ALTER COLUMN mailbox SET DEFAULT '';
ALTER TABLE accounts ALTER COLUMN mailbox SET NOT NULL;

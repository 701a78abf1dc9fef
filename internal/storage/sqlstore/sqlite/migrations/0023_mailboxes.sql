-- The mailbox of an account is written with its address: SQLite makes a column that is made of another one again with
-- every change of the row, which is twice in a publish.
DROP INDEX accounts_claimed;
ALTER TABLE accounts RENAME COLUMN mailbox TO made;
ALTER TABLE accounts ADD COLUMN mailbox TEXT NOT NULL DEFAULT '';
UPDATE accounts SET mailbox = made;
ALTER TABLE accounts DROP COLUMN made;
CREATE INDEX accounts_claimed ON accounts (mailbox) WHERE verified = 0;

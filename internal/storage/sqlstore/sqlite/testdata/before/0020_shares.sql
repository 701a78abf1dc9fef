-- Who asked for a message: nothing for a stranger, and the hash of a network.
ALTER TABLE jobs ADD COLUMN asker TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN network BLOB NOT NULL DEFAULT x'0000000000000000000000000000000000000000000000000000000000000000';

-- A message is counted before it is sent, once in each of its shares, which
-- mailbox names; a job that ends without a message is taken out again.
ALTER TABLE mails ADD COLUMN job INTEGER;
CREATE INDEX mails_job ON mails (job) WHERE job IS NOT NULL;

-- What names.EmailKey makes of an address.
ALTER TABLE accounts ADD COLUMN mailbox TEXT GENERATED ALWAYS AS (CASE
    WHEN substr(lower(email), instr(email, '@')) IN ('@gmail.com', '@googlemail.com')
    THEN replace(substr(lower(email), 1, instr(replace(email, '@', '+'), '+') - 1), '.', '') || '@gmail.com'
    ELSE substr(lower(email), 1, instr(replace(email, '@', '+'), '+') - 1) || substr(lower(email), instr(email, '@'))
END) VIRTUAL;
ALTER TABLE email_moves ADD COLUMN mailbox TEXT GENERATED ALWAYS AS (CASE
    WHEN substr(lower(email), instr(email, '@')) IN ('@gmail.com', '@googlemail.com')
    THEN replace(substr(lower(email), 1, instr(replace(email, '@', '+'), '+') - 1), '.', '') || '@gmail.com'
    ELSE substr(lower(email), 1, instr(replace(email, '@', '+'), '+') - 1) || substr(lower(email), instr(email, '@'))
END) VIRTUAL;
ALTER TABLE logins ADD COLUMN mailbox TEXT GENERATED ALWAYS AS (CASE
    WHEN substr(lower(email), instr(email, '@')) IN ('@gmail.com', '@googlemail.com')
    THEN replace(substr(lower(email), 1, instr(replace(email, '@', '+'), '+') - 1), '.', '') || '@gmail.com'
    ELSE substr(lower(email), 1, instr(replace(email, '@', '+'), '+') - 1) || substr(lower(email), instr(email, '@'))
END) VIRTUAL;
DROP INDEX accounts_claimed;
DROP INDEX email_moves_email;
DROP INDEX logins_email;
CREATE INDEX accounts_claimed ON accounts (mailbox) WHERE verified = 0;
CREATE INDEX email_moves_email ON email_moves (mailbox) WHERE undo = 0;
CREATE INDEX logins_email ON logins (mailbox);

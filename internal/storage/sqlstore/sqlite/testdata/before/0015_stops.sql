-- Mailboxes that want no messages of a kind. until: 0 if that does not end by
-- itself. mailbox is the hash that mails has, too.
CREATE TABLE stops (
    id      INTEGER PRIMARY KEY,
    mailbox BLOB NOT NULL,
    kind    TEXT NOT NULL,
    at      INTEGER NOT NULL,
    until   INTEGER NOT NULL,
    UNIQUE (mailbox, kind)
) STRICT;
CREATE INDEX stops_expiry ON stops (until) WHERE until > 0;

-- Where an address waits for somebody to prove that they read it.
CREATE INDEX accounts_claimed ON accounts (email COLLATE NOCASE) WHERE verified = 0;
CREATE INDEX email_moves_email ON email_moves (email COLLATE NOCASE) WHERE undo = 0;
CREATE INDEX logins_email ON logins (email COLLATE NOCASE);

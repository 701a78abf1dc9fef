-- What an answer that is given again tells of its version, which may be erased.
ALTER TABLE once ADD COLUMN made BLOB NOT NULL DEFAULT x'';
ALTER TABLE uploads ADD COLUMN done_made BLOB;

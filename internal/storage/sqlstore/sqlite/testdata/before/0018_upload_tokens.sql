-- The hash of the upload_token; null where a key says whose the upload is.
ALTER TABLE uploads ADD COLUMN token BLOB;
CREATE UNIQUE INDEX uploads_token ON uploads (token) WHERE token IS NOT NULL;

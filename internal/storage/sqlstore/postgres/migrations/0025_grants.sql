-- oldest: 23
--
-- Grants of programs, their tokens, and devices that ask for one. See the migration of SQLite.
ALTER TABLE keys ADD COLUMN client TEXT COLLATE "C";

CREATE TABLE tokens (
    hash        BYTEA PRIMARY KEY,
    key         BIGINT NOT NULL REFERENCES keys (id),
    refresh     BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    replaced_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX tokens_key ON tokens (key);
CREATE INDEX tokens_expiry ON tokens (expires_at);

CREATE TABLE devices (
    code       BYTEA PRIMARY KEY,
    user_code  BYTEA NOT NULL UNIQUE,
    client     TEXT COLLATE "C" NOT NULL,
    name       TEXT COLLATE "C" NOT NULL,
    project    TEXT COLLATE "C" NOT NULL,
    scope      TEXT COLLATE "C" NOT NULL,
    asked_at   BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    pause      BIGINT NOT NULL,
    polled_at  BIGINT NOT NULL DEFAULT 0,
    decided    BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX devices_expiry ON devices (expires_at);

-- oldest: 21
--
-- The last run of each of the operator's commands that a server reports: damaged is what it found damaged, good_at when
-- a run last found nothing, 0 if none did.
CREATE TABLE runs (
    kind    TEXT COLLATE "C" PRIMARY KEY,
    at      BIGINT NOT NULL,
    good_at BIGINT NOT NULL,
    damaged BIGINT NOT NULL
);

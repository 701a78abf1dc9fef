-- expands: a table, indexes and triggers, which a node of the release before keeps without knowing.
--
-- Sums over whole tables: sqlite/migrations says more. Rows that are being recorded meanwhile are among the last ten
-- thousand of their table.
CREATE TABLE sums (
    name    TEXT COLLATE "C" PRIMARY KEY,
    through BIGINT NOT NULL DEFAULT 0,
    next    BIGINT NOT NULL DEFAULT 0,
    at      BIGINT NOT NULL DEFAULT 0,
    a       BIGINT NOT NULL DEFAULT 0,
    b       BIGINT NOT NULL DEFAULT 0
);
INSERT INTO sums (name, through, next, a, b)
    SELECT 'accounts', m.n, m.n, count(t.id) FILTER (WHERE t.deleted_at IS NULL), count(t.id) FILTER (WHERE t.deleted_at IS NULL AND t.verified = 1)
    FROM (SELECT greatest(coalesce(max(id), 0) - 10000, 0) AS n FROM accounts) m LEFT JOIN accounts t ON t.id <= m.n GROUP BY m.n;
INSERT INTO sums (name, through, next, a)
    SELECT 'projects', m.n, m.n, count(t.num) FILTER (WHERE t.deleted_at IS NULL)
    FROM (SELECT greatest(coalesce(max(num), 0) - 10000, 0) AS n FROM projects) m LEFT JOIN projects t ON t.num <= m.n GROUP BY m.n;
INSERT INTO sums (name, through, next, a, b)
    SELECT 'blobs', m.n, m.n, CAST(coalesce(sum(t.size) FILTER (WHERE t.ref IS NULL), 0) AS BIGINT),
        CAST(coalesce(sum(t.size) FILTER (WHERE t.ref IS NOT NULL), 0) AS BIGINT)
    FROM (SELECT greatest(coalesce(max(id), 0) - 10000, 0) AS n FROM blobs) m LEFT JOIN blobs t ON t.id <= m.n GROUP BY m.n;
INSERT INTO sums (name, a) SELECT 'act ' || action, count(*) FROM acts WHERE actor = 'operator' GROUP BY action;

CREATE INDEX accounts_suspended ON accounts (verified) WHERE suspended_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX projects_suspended ON projects (num) WHERE suspended_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX reports_open ON reports (at) WHERE closed_at IS NULL;

-- Each takes the lock of its sum whether or not the row is below through: a step that moves through waits for it, and it
-- for that step, so that the row is counted once.
CREATE FUNCTION accounts_summed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE sums SET
        a = a + (CASE WHEN through < new.id THEN 0 ELSE (new.deleted_at IS NULL)::int - (old.deleted_at IS NULL)::int END),
        b = b + (CASE WHEN through < new.id THEN 0 ELSE
            (new.deleted_at IS NULL AND new.verified = 1)::int - (old.deleted_at IS NULL AND old.verified = 1)::int END)
    WHERE name = 'accounts';
    RETURN NULL;
END $$;
CREATE TRIGGER accounts_summed AFTER UPDATE OF verified, deleted_at ON accounts FOR EACH ROW
WHEN ((old.deleted_at IS NULL) <> (new.deleted_at IS NULL) OR old.verified <> new.verified) EXECUTE FUNCTION accounts_summed();

CREATE FUNCTION projects_summed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE sums SET a = a + (CASE WHEN through < new.num THEN 0 WHEN new.deleted_at IS NULL THEN 1 ELSE -1 END) WHERE name = 'projects';
    RETURN NULL;
END $$;
CREATE TRIGGER projects_summed AFTER UPDATE OF deleted_at ON projects FOR EACH ROW
WHEN ((old.deleted_at IS NULL) <> (new.deleted_at IS NULL)) EXECUTE FUNCTION projects_summed();

CREATE FUNCTION blobs_summed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE sums SET a = a - (CASE WHEN through >= old.id AND old.ref IS NULL THEN old.size ELSE 0 END),
        b = b - (CASE WHEN through >= old.id AND old.ref IS NOT NULL THEN old.size ELSE 0 END)
    WHERE name = 'blobs';
    RETURN NULL;
END $$;
CREATE TRIGGER blobs_summed AFTER DELETE ON blobs FOR EACH ROW EXECUTE FUNCTION blobs_summed();

CREATE FUNCTION acts_summed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO sums (name, a) VALUES ('act ' || new.action, 1) ON CONFLICT (name) DO UPDATE SET a = sums.a + 1;
    RETURN NULL;
END $$;
CREATE TRIGGER acts_summed AFTER INSERT ON acts FOR EACH ROW WHEN (new.actor = 'operator') EXECUTE FUNCTION acts_summed();

-- Any version is recorded in one step. What the release before was recording in several when it ended is taken
-- back: the files of the version, and a project and an account that were to come with it. Sweep looks at the blobs.
UPDATE blobs SET loose = 1 WHERE id IN (SELECT f.blob FROM drafts d JOIN projects p ON p.num = d.project
    JOIN files f ON f.project = d.project AND (p.version = 0 OR f.until = 9223372036854775807 AND f.since = d.n));
DELETE FROM files WHERE project IN (SELECT num FROM projects WHERE version = 0);
DELETE FROM versions WHERE project IN (SELECT num FROM projects WHERE version = 0);
DELETE FROM files WHERE project IN (SELECT project FROM drafts) AND until = 9223372036854775807
    AND since = (SELECT n FROM drafts d WHERE d.project = files.project);
UPDATE files SET until = 9223372036854775807 WHERE project IN (SELECT project FROM drafts)
    AND until = (SELECT n FROM drafts d WHERE d.project = files.project);
DROP TABLE drafts;
DELETE FROM projects WHERE version = 0 AND deleted_at = 0;
DELETE FROM accounts WHERE handle = '' AND deleted_at = 0;

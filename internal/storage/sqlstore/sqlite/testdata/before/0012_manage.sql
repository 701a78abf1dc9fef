-- What a project's owner says about it by hand. threads: 1 if its pages are to be
-- isolated as browsers ask for before threads may share memory.
ALTER TABLE projects ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN threads INTEGER NOT NULL DEFAULT 0;

-- The file that is served for "/", as each version left it.
ALTER TABLE versions ADD COLUMN primary_file TEXT NOT NULL DEFAULT '';
UPDATE versions SET primary_file = (SELECT primary_file FROM projects WHERE num = versions.project);

-- When the owner erased it; null: its files are there.
ALTER TABLE versions ADD COLUMN erased_at INTEGER;

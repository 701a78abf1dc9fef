-- 1: its owner does not want the project in the gallery or on the profile. It is
-- as public as before for whoever has its address.
ALTER TABLE projects ADD COLUMN unlisted INTEGER NOT NULL DEFAULT 0;

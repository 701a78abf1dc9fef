-- A like is of a visitor's token alone. counted: whether it is in the project's likes.
DROP INDEX likes_today;
ALTER TABLE likes DROP COLUMN today;
ALTER TABLE likes ADD COLUMN counted INTEGER NOT NULL DEFAULT 1;

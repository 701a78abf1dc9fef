-- "sandlot move" keeps nothing in a database any more: sqlite/migrations says more.
DO $$ BEGIN
    IF EXISTS (SELECT FROM moving) THEN
        RAISE EXCEPTION 'a move is not ended: end it with the release before';
    END IF;
END $$;
DROP TABLE moving, moving_tables, moving_changes, moving_damage, moving_aside;

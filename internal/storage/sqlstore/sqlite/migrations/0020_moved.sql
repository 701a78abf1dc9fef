-- "sandlot move" keeps nothing in a database any more. The triggers of a move that has not ended, or has left
-- this database behind, are known to the release before alone.
CREATE TABLE ended (moves INTEGER CONSTRAINT "a move is not ended: end it with the release before" CHECK (moves = 0)) STRICT;
INSERT INTO ended SELECT count(*) FROM moving;
DROP TABLE ended;

DROP TABLE moving;
DROP TABLE moving_tables;
DROP TABLE moving_changes;
DROP TABLE moving_damage;
DROP TABLE moving_aside;

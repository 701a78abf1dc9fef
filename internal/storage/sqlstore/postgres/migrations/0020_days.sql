-- The plays of a day are in its figures. They were counted there, too, since there are figures; the days before have plays alone.
INSERT INTO day_figures (project, day, plays, likes)
    SELECT project, day, plays, 0 FROM play_days
    WHERE project IN (SELECT num FROM projects WHERE deleted_at IS NULL UNION SELECT project FROM trash)
    ON CONFLICT (project, day) DO UPDATE SET plays = excluded.plays WHERE day_figures.plays < excluded.plays;
DROP TABLE play_days;
DROP INDEX day_figures_likes;
DROP INDEX day_figures_day;
CREATE INDEX day_figures_day ON day_figures (day, project, plays, likes);

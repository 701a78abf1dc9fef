-- expands: an index, which a node of the release before keeps without knowing.
--
-- The days on which projects were liked, for what trends: few beside those on which they were played.
CREATE INDEX day_figures_likes ON day_figures (day, project, likes) WHERE likes <> 0;

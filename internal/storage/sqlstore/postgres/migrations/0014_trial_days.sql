-- expands: an index, which a node of the release before keeps without knowing.
--
-- The trials of a day, for the turns of accounts.
CREATE INDEX trials_day ON trials (day, project, opened);

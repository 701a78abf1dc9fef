-- The trials of a day, for the turns of accounts.
CREATE INDEX trials_day ON trials (day, project, opened);

-- The name that the configuration file is about to get for a feed: if the command ends before both have it, the next run
-- finishes.
ALTER TABLE _feed ADD COLUMN new_name TEXT;

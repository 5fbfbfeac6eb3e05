-- A crawl may take over another one's generation. PostgreSQL checks a constraint row by row, in the order in which the rows of
-- a commit happen to be written. SQLite has checked the same in the worker's file by then.
ALTER TABLE _crawl DROP CONSTRAINT IF EXISTS _crawl_feed_generation_key;

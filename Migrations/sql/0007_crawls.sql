-- The words of the field: a walk is a crawl, a continuation a page cursor.
ALTER TABLE _walk RENAME TO _crawl;
ALTER TABLE _crawl RENAME COLUMN left_out TO skipped;
ALTER TABLE _walk_page RENAME TO _crawl_page;
ALTER TABLE _crawl_page RENAME COLUMN walk TO crawl;
ALTER TABLE _page RENAME COLUMN walk TO crawl;
ALTER TABLE _page RENAME COLUMN left_out TO skipped;
ALTER TABLE _page RENAME COLUMN continuation TO cursor;
ALTER TABLE _feed RENAME COLUMN walk TO crawl;

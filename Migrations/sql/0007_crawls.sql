-- The words of the field: a walk is a crawl, a continuation a page cursor.
ALTER TABLE _walk RENAME TO _crawl;
ALTER TABLE _crawl RENAME COLUMN left_out TO skipped;
ALTER TABLE _walk_page RENAME TO _crawl_page;
ALTER TABLE _crawl_page RENAME COLUMN walk TO crawl;
ALTER TABLE _page RENAME COLUMN walk TO crawl;
ALTER TABLE _page RENAME COLUMN left_out TO skipped;
ALTER TABLE _page RENAME COLUMN continuation TO cursor;
ALTER TABLE _feed RENAME COLUMN walk TO crawl;

-- Ranges: what crawls stored of a list, and where each of them goes on.
ALTER TABLE _feed ADD COLUMN ranges TEXT;                               -- JSON: the ranges, and the crawl of every page under way
ALTER TABLE _crawl ADD COLUMN round INTEGER;                            -- the first crawl of a crawl of every page that took several
ALTER TABLE _crawl ADD COLUMN overlaps INTEGER NOT NULL DEFAULT 1;      -- whether each page showed the last item of the one before
ALTER TABLE _crawl ADD COLUMN has_totals INTEGER NOT NULL DEFAULT 1;    -- whether each page said a total
ALTER TABLE _crawl ADD COLUMN total_moved INTEGER NOT NULL DEFAULT 0;   -- whether that was another one on some page
ALTER TABLE _crawl ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0;       -- items that came again on a later page
ALTER TABLE _crawl ADD COLUMN is_ordered INTEGER NOT NULL DEFAULT 1;    -- whether its places are the order of the list
ALTER TABLE _crawl ADD COLUMN checked INTEGER NOT NULL DEFAULT 0;       -- its pages that were asked for again and were the same
ALTER TABLE _crawl DROP COLUMN is_unchecked;
ALTER TABLE _crawl DROP COLUMN stopped_by;
ALTER TABLE _crawl_page ADD COLUMN met TEXT;                            -- JSON: where its rows stood before, [[generation, position, count]]

-- Whether it was proved that nothing was missed; and when a crawl of every page was complete last.
ALTER TABLE feed ADD COLUMN verified INTEGER NOT NULL DEFAULT 0 CHECK (verified IN (0, 1));
ALTER TABLE feed ADD COLUMN full_at TEXT;
ALTER TABLE run ADD COLUMN verified INTEGER NOT NULL DEFAULT 0 CHECK (verified IN (0, 1));

-- Crawls of before are no ranges: the next sync reads through what they stored.
DELETE FROM _crawl_page;
UPDATE _feed SET crawl = NULL;
UPDATE feed SET no_more_data = 0, next_page = NULL;

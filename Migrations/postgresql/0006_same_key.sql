-- Items whose place another item of the same page took, because both have the same key.
ALTER TABLE _page ADD COLUMN same_key bigint NOT NULL DEFAULT 0;
ALTER TABLE _crawl ADD COLUMN same_key bigint NOT NULL DEFAULT 0;

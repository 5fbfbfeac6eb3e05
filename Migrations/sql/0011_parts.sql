-- Feeds with `for_each` have a list for each row of their parent, which is mirrored like a feed of its own: `feed_part` is to
-- it what `feed` is to a feed, and `_feed_part` what `_feed` is.
CREATE TABLE feed_part (
    name         TEXT PRIMARY KEY NOT NULL,   -- the feed, a slash, and the parent's key
    feed         TEXT NOT NULL,
    parent_key   ANY NOT NULL,                -- the value of the parent's key column, or a JSON array of several
    url          TEXT NOT NULL,
    status       TEXT NOT NULL DEFAULT 'none'
                 CHECK (status IN ('none', 'beginHeader', 'endHeader', 'beginFooter', 'endFooter', 'noMoreData')),
    no_more_data INTEGER NOT NULL DEFAULT 0 CHECK (no_more_data IN (0, 1)),
    next_page    TEXT,
    generation   INTEGER NOT NULL DEFAULT 0,
    item_count   INTEGER NOT NULL DEFAULT 0,
    complete     INTEGER NOT NULL DEFAULT 0 CHECK (complete IN (0, 1)),
    verified     INTEGER NOT NULL DEFAULT 0 CHECK (verified IN (0, 1)),
    reloaded_at  TEXT,
    synced_at    TEXT,
    full_at      TEXT,
    next_due_at  TEXT,
    error        TEXT
) STRICT;
CREATE INDEX _feed_part_due ON feed_part (feed, next_due_at);
CREATE INDEX _feed_part_parent ON feed_part (feed, parent_key);
CREATE TABLE _feed_part (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,  -- also its byte in the lock file: none that a feed has
    feed       TEXT NOT NULL UNIQUE REFERENCES feed_part (name) ON DELETE CASCADE,
    definition TEXT NOT NULL,     -- the fingerprint, as a short hash
    seen       ANY,               -- what the parent's row said of changes when the list was asked for last
    crawl      INTEGER,
    ranges     TEXT,
    watermark  TEXT,
    round_started_at TEXT,
    round_ended_at   TEXT,
    failures   INTEGER NOT NULL DEFAULT 0,
    failing_since    TEXT,
    poll_interval    INTEGER,
    fresh_for        INTEGER,
    planned_due_at   TEXT,
    resource   TEXT,
    quota_origin     TEXT,
    quota_credential INTEGER
) STRICT;

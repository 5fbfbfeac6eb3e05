-- A feed with `for_each` has a list for each row of its parent, which is mirrored like a feed of its own: `feed_part` is to
-- the list what `feed` is to a feed, and `_feed_part` what `_feed` is.
-- Not STRICT, as `_change` is not.
CREATE TABLE feed_part (
    name         TEXT PRIMARY KEY NOT NULL,   -- the feed, a slash, and the parent's key
    feed         TEXT NOT NULL,
    parent_key   BLOB NOT NULL,               -- the value of the parent's key column, or a JSON array of several
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
);
-- With the key, so that a run need not look at the lists themselves to know which are due.
CREATE INDEX _feed_part_due ON feed_part (feed, next_due_at, parent_key);
CREATE INDEX _feed_part_incomplete ON feed_part (feed, next_due_at) WHERE complete = 0;
CREATE INDEX _feed_part_parent ON feed_part (feed, parent_key);

CREATE TABLE _feed_part (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,  -- also its byte in the lock file: none that a feed has
    feed             TEXT NOT NULL UNIQUE REFERENCES feed_part (name) ON DELETE CASCADE,
    definition       TEXT NOT NULL,     -- the fingerprint, as a short hash
    seen             BLOB,              -- the mark of change of the parent's row when the list was requested last
    crawl            INTEGER,
    ranges           TEXT,
    watermark        TEXT,
    round_started_at TEXT,
    round_ended_at   TEXT,
    failures         INTEGER NOT NULL DEFAULT 0,
    failing_since    TEXT,
    poll_interval    INTEGER,
    fresh_for        INTEGER,
    planned_due_at   TEXT,
    resource         TEXT,
    quota_origin     TEXT,
    quota_credential INTEGER
);
CREATE INDEX _feed_part_failing ON _feed_part (feed) WHERE failures > 0;

-- Of a feed with `for_each`: the parent's rows that have no list yet, and those that changed since their list was
-- requested. They are found once for each state of the parent, so that a run reads no more rows than it requests.
ALTER TABLE _feed ADD COLUMN parent_state TEXT;   -- the state of the parent's rows in which they were found, as a hash
ALTER TABLE _feed ADD COLUMN parent_rows INTEGER; -- the number of rows that had a list then
CREATE TABLE _part_ahead (
    feed       TEXT NOT NULL,
    parent_key BLOB NOT NULL,        -- as in `feed_part`
    is_new     INTEGER NOT NULL,     -- 1: the row has no list yet
    generation INTEGER NOT NULL,     -- the place of the row
    position   INTEGER NOT NULL,
    PRIMARY KEY (feed, parent_key)
) WITHOUT ROWID;
CREATE INDEX _part_ahead_order ON _part_ahead (feed, is_new, generation DESC, position);

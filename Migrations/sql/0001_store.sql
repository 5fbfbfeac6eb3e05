-- A store in SQLite. Names without a leading underscore are public: users and scripts query them.
-- Times are UTC, ISO 8601 with milliseconds and Z. `error` is JSON {kind, message, http_status, url} or NULL.

CREATE TABLE feed (
    name         TEXT PRIMARY KEY NOT NULL,
    model        TEXT,
    url          TEXT NOT NULL,
    status       TEXT NOT NULL DEFAULT 'none'
                 CHECK (status IN ('none', 'beginHeader', 'endHeader', 'beginFooter', 'endFooter', 'noMoreData')),
    no_more_data INTEGER NOT NULL DEFAULT 0 CHECK (no_more_data IN (0, 1)),
    next_page    TEXT,                        -- the page cursor; NULL before the first page and at the end
    generation   INTEGER NOT NULL DEFAULT 0,
    item_count   INTEGER NOT NULL DEFAULT 0,  -- rows whose _removed_at is NULL
    complete     INTEGER NOT NULL DEFAULT 0 CHECK (complete IN (0, 1)),
    reloaded_at  TEXT,
    synced_at    TEXT,
    next_due_at  TEXT,
    error        TEXT,
    verified     INTEGER NOT NULL DEFAULT 0 CHECK (verified IN (0, 1)),  -- 1: proved that no item was missed
    full_at      TEXT                         -- the time as of which every page was read
) STRICT;

CREATE TABLE run (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    feed        TEXT NOT NULL,
    command     TEXT NOT NULL,
    started_at  TEXT NOT NULL,
    finished_at TEXT,
    outcome     TEXT CHECK (outcome IN
                ('ok', 'unchanged', 'no_more_data', 'failed', 'limited', 'cancelled', 'interrupted')),
    complete    INTEGER NOT NULL DEFAULT 0 CHECK (complete IN (0, 1)),
    reason      TEXT,                         -- why it is not complete
    pages       INTEGER NOT NULL DEFAULT 0,
    requests    INTEGER NOT NULL DEFAULT 0,
    bytes       INTEGER NOT NULL DEFAULT 0,   -- received, as transferred
    inserted    INTEGER NOT NULL DEFAULT 0,
    updated     INTEGER NOT NULL DEFAULT 0,
    unchanged   INTEGER NOT NULL DEFAULT 0,
    removed     INTEGER NOT NULL DEFAULT 0,
    error       TEXT,
    verified    INTEGER NOT NULL DEFAULT 0 CHECK (verified IN (0, 1))
) STRICT;
CREATE INDEX _run_feed ON run (feed, finished_at);

CREATE TABLE event (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    at        TEXT NOT NULL,
    feed      TEXT NOT NULL,
    run       INTEGER NOT NULL,
    status    TEXT NOT NULL CHECK (status IN ('beginHeader', 'endHeader', 'beginFooter', 'endFooter', 'noMoreData')),
    page      INTEGER,                        -- the page's number in its crawl, from 1
    inserted  INTEGER NOT NULL DEFAULT 0,
    updated   INTEGER NOT NULL DEFAULT 0,
    unchanged INTEGER NOT NULL DEFAULT 0,
    removed   INTEGER NOT NULL DEFAULT 0,
    error     TEXT
) STRICT;
CREATE INDEX _event_feed ON event (feed, run);

-- The state of a feed besides its public row. `round_…` and what follows up to `quota_credential` give `feed.next_due_at`,
-- together with the definition and the quotas; a round is a sync that was not cut off.
CREATE TABLE _feed (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,  -- also the feed's byte in the lock file
    feed             TEXT NOT NULL UNIQUE REFERENCES feed (name) ON DELETE CASCADE,
    "table"          TEXT NOT NULL UNIQUE COLLATE NOCASE,
    key              TEXT NOT NULL,     -- the item's key, as text: a change is refused
    key_columns      TEXT NOT NULL,     -- JSON array of names
    columns          TEXT NOT NULL,     -- JSON array of {name, path, type}: the model's columns of the table, in order
    definition       TEXT NOT NULL,     -- the fingerprint: the canonical text, credentials as short hashes
    crawl            INTEGER,           -- the crawl that the next page belongs to
    resource         TEXT,              -- the quota that its last request counted against
    watermark        TEXT,
    found            TEXT,              -- JSON: the discovered parts of the definition; NULL before the first page
    round_started_at TEXT,              -- of the last round; NULL before the first
    round_ended_at   TEXT,
    failures         INTEGER NOT NULL DEFAULT 0,  -- rounds in a row that failed
    failing_since    TEXT,              -- the end of the first of them
    poll_interval    INTEGER,           -- seconds; X-Poll-Interval of the first page's last response
    fresh_for        INTEGER,           -- seconds; its max-age, or Expires less Date
    planned_due_at   TEXT,              -- the planned next_due_at: another value is the user's
    quota_origin     TEXT,              -- with `resource`, the quota that its last request counted against
    quota_credential INTEGER,
    ranges           TEXT,              -- JSON: the ranges, and the crawl of every page under way
    new_name         TEXT,              -- the name that the configuration file is about to get for it
    moved_to         TEXT,              -- the address to which the upstream has moved for good
    lists            TEXT,              -- JSON array of {column, members, plain}: the lists in its items that have views
    parent_state     TEXT,              -- the state of the parent's rows in which `_part_ahead` was found, as a hash
    parent_rows      INTEGER            -- the number of rows that had a list then
) STRICT;
CREATE INDEX _feed_new_name ON _feed (new_name) WHERE new_name IS NOT NULL;

-- Pages fetched one after the other since a header.
CREATE TABLE _crawl (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    feed          TEXT NOT NULL,
    mode          TEXT NOT NULL,                -- reload, or the mode of the sync
    generation    INTEGER,                      -- of the rows it wrote; NULL while all its pages were unchanged
    started_at    TEXT NOT NULL,
    server_date   TEXT,                         -- the server's Date at its first page
    pages         INTEGER NOT NULL DEFAULT 0,
    elements      INTEGER NOT NULL DEFAULT 0,   -- of the items arrays, all pages together
    position      INTEGER NOT NULL DEFAULT 0,   -- the position of the next new item
    skipped       INTEGER NOT NULL DEFAULT 0,
    total         INTEGER,                      -- elements there are, as the upstream said last
    drift         INTEGER NOT NULL DEFAULT 0,   -- 1: the list moved while it was read
    complete      INTEGER NOT NULL DEFAULT 0,
    reason        TEXT,                         -- why it is not complete
    ended_at      TEXT,
    watermark     TEXT,                         -- its start
    furthest      TEXT,                         -- JSON: the furthest watermark of its items
    doubtful      INTEGER NOT NULL DEFAULT 0,   -- 1: its end does not prove that nothing is left
    part          TEXT,                         -- the partition that it is in the midst of
    part_elements INTEGER NOT NULL DEFAULT 0,
    part_total    INTEGER,                      -- elements there are in it, as the upstream said last
    capped        INTEGER NOT NULL DEFAULT 0,   -- 1: a partition that could not be halved ended before its total
    cap           INTEGER,                      -- elements of a partition that the upstream serves, once that was seen
    round         INTEGER,                      -- the first crawl of a crawl of every page that took several
    overlaps      INTEGER NOT NULL DEFAULT 1,   -- 1: each page showed the last item of the one before
    has_totals    INTEGER NOT NULL DEFAULT 1,   -- 1: each page said a total
    total_moved   INTEGER NOT NULL DEFAULT 0,   -- 1: that was another one on some page
    repeats       INTEGER NOT NULL DEFAULT 0,   -- items that came again on a later page
    is_ordered    INTEGER NOT NULL DEFAULT 1,   -- 1: its places are the order of the list
    checked       INTEGER NOT NULL DEFAULT 0,   -- its pages that were requested again and were the same
    same_key      INTEGER NOT NULL DEFAULT 0,   -- items whose place another item of their page took, with the same key
    UNIQUE (feed, generation)                   -- so a row's _generation names the crawl that wrote it last
) STRICT;
CREATE INDEX _crawl_feed ON _crawl (feed, id);

-- One page as it was when it last changed. `crawl` wrote it; later crawls that find it unchanged only refer to it.
CREATE TABLE _page (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    feed          TEXT NOT NULL,
    crawl         INTEGER NOT NULL,
    request       TEXT NOT NULL,              -- method and URL, secrets masked
    credential    INTEGER NOT NULL,           -- a hash too short to tell the secret
    generation    INTEGER NOT NULL,           -- its items have these positions of this generation
    position      INTEGER NOT NULL,
    placed        INTEGER NOT NULL,           -- the number of positions, from `position`
    elements      INTEGER NOT NULL,
    keys          TEXT NOT NULL,              -- JSON array of the items' keys in the page's order
    is_first      INTEGER NOT NULL,
    skipped       INTEGER NOT NULL,           -- elements that could not be stored
    cursor        TEXT,                       -- as the upstream gave it; NULL: the end
    http_status   INTEGER NOT NULL,           -- of the response that brought it
    total         INTEGER,
    etag          TEXT,
    last_modified TEXT,
    fetched_at    TEXT NOT NULL,
    same_key      INTEGER NOT NULL DEFAULT 0  -- items whose place another item of the page took, with the same key
) STRICT;
CREATE INDEX _page_request ON _page (feed, request, credential);
CREATE INDEX _page_place ON _page (feed, generation, position);

-- The pages of a crawl, in the order in which they were fetched, with their keys.
CREATE TABLE _crawl_page (
    crawl    INTEGER NOT NULL,
    number   INTEGER NOT NULL,                -- from 1
    page     INTEGER NOT NULL,
    position INTEGER NOT NULL,                -- of the crawl, at the page's beginning
    asked    TEXT,                            -- the page cursor that led to the page
    met      TEXT,                            -- JSON: the earlier places of its rows, [[generation, position, count]]
    PRIMARY KEY (crawl, number)
) STRICT, WITHOUT ROWID;

-- `name` is NULL for items without a section. `generation` and `position` of its first item give the order.
CREATE TABLE _section (
    feed       TEXT NOT NULL,
    name       TEXT,
    item_count INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    position   INTEGER NOT NULL
) STRICT;
CREATE INDEX _section_feed ON _section (feed, name);

CREATE VIEW section AS
SELECT feed, name,
       row_number() OVER (PARTITION BY feed ORDER BY generation DESC, position) - 1 AS position,
       item_count
FROM _section;

CREATE TABLE _quota (
    origin        TEXT NOT NULL,
    credential    INTEGER NOT NULL,
    resource      TEXT NOT NULL,
    remaining     INTEGER,
    reset_at      TEXT,
    blocked_until TEXT,
    PRIMARY KEY (origin, credential, resource)
) STRICT, WITHOUT ROWID;

CREATE VIEW quota AS
SELECT origin, resource, remaining, reset_at, blocked_until FROM _quota;

-- Salts the hashes above, so that they mean nothing elsewhere.
CREATE TABLE _salt (
    value TEXT NOT NULL
) STRICT;
INSERT INTO _salt VALUES (lower(hex(randomblob(16))));

-- The changes of rows. A new row says so itself, by `_first_seen_at`.
-- Not STRICT: BLOB keeps each key as it is, as ANY would, and programs that know no ANY can read the table.
CREATE TABLE _change (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,   -- in the order of the changes, never given twice
    at     TEXT NOT NULL,
    feed   TEXT NOT NULL,
    run    INTEGER NOT NULL,
    kind   TEXT NOT NULL CHECK (kind IN ('changed', 'removed', 'returned')),
    key    BLOB NOT NULL,                       -- the value of the key's column, or a JSON array of several
    before TEXT                                 -- JSON: the columns that changed, as they were
);
CREATE INDEX _change_key ON _change (feed, key);
-- The changes of a feed in their order: behind a number, and the newest.
CREATE INDEX _change_feed ON _change (feed);
-- The items of a feed that came back, by time, for charts.
CREATE INDEX _change_returned ON _change (feed, at) WHERE kind = 'returned';

-- The changes of the columns of feeds whose whole list an earlier run had read.
CREATE TABLE _column_change (
    id       INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order of the changes, never given twice
    at       TEXT NOT NULL,
    feed     TEXT NOT NULL,                     -- of a list, the feed that has it
    run      INTEGER NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('new', 'gone', 'type')),  -- gone: no item has it any more
    "column" TEXT NOT NULL,
    before   TEXT,                              -- the column's type
    after    TEXT
) STRICT;
CREATE INDEX _column_change_feed ON _column_change (feed, id);

-- The place of a consumer of changes: it has received all of these events and changes.
CREATE TABLE _consumer (
    name   TEXT NOT NULL,
    feed   TEXT NOT NULL,
    event  INTEGER NOT NULL,
    change INTEGER NOT NULL,
    PRIMARY KEY (name, feed)
) STRICT, WITHOUT ROWID;

-- Made anew with the feeds' tables: their new rows are a part of it. A feed of that name keeps its table.
CREATE VIEW change ("at", feed, run, kind, key, before) AS
SELECT "at", feed, run, kind, CAST(key AS TEXT), before FROM _change;

-- The response at which a feed's run failed last; secrets are masked.
CREATE TABLE _response (
    feed        TEXT PRIMARY KEY,
    at          TEXT NOT NULL,
    run         INTEGER NOT NULL,
    error       TEXT NOT NULL,      -- JSON, as in `run`
    url         TEXT NOT NULL,
    http_status INTEGER NOT NULL,
    headers     TEXT NOT NULL,      -- JSON: a list of names with values
    body        TEXT NOT NULL,      -- its beginning
    byte_count  INTEGER NOT NULL    -- of the whole body
) STRICT, WITHOUT ROWID;

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
CREATE TABLE _part_ahead (
    feed       TEXT NOT NULL,
    parent_key BLOB NOT NULL,        -- as in `feed_part`
    is_new     INTEGER NOT NULL,     -- 1: the row has no list yet
    generation INTEGER NOT NULL,     -- the place of the row
    position   INTEGER NOT NULL,
    PRIMARY KEY (feed, parent_key)
) WITHOUT ROWID;
CREATE INDEX _part_ahead_order ON _part_ahead (feed, is_new, generation DESC, position);

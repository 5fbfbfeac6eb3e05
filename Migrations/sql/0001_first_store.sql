-- The first store. Names without a leading underscore are public: users and scripts query them.
-- Times are UTC, ISO 8601 with milliseconds and Z. `error` is JSON {kind, message, http_status, url} or NULL.

CREATE TABLE feed (
    name         TEXT PRIMARY KEY NOT NULL,
    model        TEXT,
    url          TEXT NOT NULL,
    status       TEXT NOT NULL DEFAULT 'none'
                 CHECK (status IN ('none', 'beginHeader', 'endHeader', 'beginFooter', 'endFooter', 'noMoreData')),
    no_more_data INTEGER NOT NULL DEFAULT 0 CHECK (no_more_data IN (0, 1)),
    next_page    TEXT,                        -- the continuation; NULL before the first page and at the end
    generation   INTEGER NOT NULL DEFAULT 0,
    item_count   INTEGER NOT NULL DEFAULT 0,  -- rows whose _removed_at is NULL
    complete     INTEGER NOT NULL DEFAULT 0 CHECK (complete IN (0, 1)),
    reloaded_at  TEXT,
    synced_at    TEXT,
    next_due_at  TEXT,
    error        TEXT
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
    error       TEXT
) STRICT;
CREATE INDEX _run_feed ON run (feed, finished_at);

CREATE TABLE event (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    at        TEXT NOT NULL,
    feed      TEXT NOT NULL,
    run       INTEGER NOT NULL,
    status    TEXT NOT NULL CHECK (status IN ('beginHeader', 'endHeader', 'beginFooter', 'endFooter', 'noMoreData')),
    page      INTEGER,                        -- the page's number in its walk, from 1
    inserted  INTEGER NOT NULL DEFAULT 0,
    updated   INTEGER NOT NULL DEFAULT 0,
    unchanged INTEGER NOT NULL DEFAULT 0,
    removed   INTEGER NOT NULL DEFAULT 0,
    error     TEXT
) STRICT;
CREATE INDEX _event_feed ON event (feed, run);

-- What the engine knows of a feed besides its public row.
CREATE TABLE _feed (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,  -- also the feed's byte in the hold file
    feed       TEXT NOT NULL UNIQUE REFERENCES feed (name) ON DELETE CASCADE,
    "table"    TEXT NOT NULL UNIQUE COLLATE NOCASE,
    key        TEXT NOT NULL,     -- what tells items apart, as text: a change is refused
    key_columns TEXT NOT NULL,    -- JSON array of names
    columns    TEXT NOT NULL,     -- JSON array of {name, path, type}: the model's columns of the table, in order
    definition TEXT NOT NULL,     -- the fingerprint: the canonical text, credentials as short hashes
    walk       INTEGER,           -- the walk that the next page belongs to
    resource   TEXT,              -- the quota its last answer counted against
    watermark  TEXT
) STRICT;

-- Pages fetched one after the other since a header.
CREATE TABLE _walk (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    feed        TEXT NOT NULL,
    mode        TEXT NOT NULL,                -- reload, or the mode of the sync
    generation  INTEGER,                      -- of the rows it wrote; NULL while all its pages were unchanged
    started_at  TEXT NOT NULL,
    server_date TEXT,                         -- the server's Date at its first page
    pages       INTEGER NOT NULL DEFAULT 0,
    elements    INTEGER NOT NULL DEFAULT 0,   -- of the items arrays, all pages together
    position    INTEGER NOT NULL DEFAULT 0,   -- where the next new item goes
    left_out    INTEGER NOT NULL DEFAULT 0,
    total       INTEGER,                      -- elements there are, as the upstream said last
    drift       INTEGER NOT NULL DEFAULT 0,   -- whether the list moved while it was read
    complete    INTEGER NOT NULL DEFAULT 0,
    reason      TEXT,                         -- why it is not complete
    stopped_by  TEXT,                         -- the error kind that its last page ended with; NULL if it was stored
    ended_at    TEXT,
    watermark   TEXT,                         -- where it started from
    UNIQUE (feed, generation)                 -- so a row's _generation names the walk that wrote it last
) STRICT;
CREATE INDEX _walk_feed ON _walk (feed, id);

-- One page as it was when it last changed. `walk` wrote it; later walks that find it unchanged only refer to it.
CREATE TABLE _page (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    feed          TEXT NOT NULL,
    walk          INTEGER NOT NULL,
    request       TEXT NOT NULL,              -- method and URL, secrets masked
    credential    INTEGER NOT NULL,           -- a hash too short to tell the secret
    generation    INTEGER NOT NULL,           -- where its items are: these positions of this generation
    position      INTEGER NOT NULL,
    placed        INTEGER NOT NULL,           -- how many positions, from `position`
    elements      INTEGER NOT NULL,
    keys          TEXT NOT NULL,              -- JSON array of the items' keys in the page's order
    is_first      INTEGER NOT NULL,
    left_out      INTEGER NOT NULL,           -- elements that could not be stored
    continuation  TEXT,                       -- as the upstream gave it; NULL: the end
    http_status   INTEGER NOT NULL,           -- of the response that brought it
    total         INTEGER,
    etag          TEXT,
    last_modified TEXT,
    fetched_at    TEXT NOT NULL
) STRICT;
CREATE INDEX _page_request ON _page (feed, request, credential);
CREATE INDEX _page_place ON _page (feed, generation, position);

-- The pages of a walk, in the order in which they were fetched: the keys that it saw.
CREATE TABLE _walk_page (
    walk   INTEGER NOT NULL,
    number INTEGER NOT NULL,                  -- from 1
    page   INTEGER NOT NULL,
    position INTEGER NOT NULL,                -- of the walk, where the page begins
    PRIMARY KEY (walk, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX _walk_page_page ON _walk_page (page);

-- `name` is NULL for items without a section. `_generation`/`_position` of its first item give the order.
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

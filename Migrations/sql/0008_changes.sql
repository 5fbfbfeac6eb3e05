-- What happened to rows: they tell themselves when they were new, by `_first_seen_at`.
CREATE TABLE _change (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,   -- in the order of what happened, never given twice
    at     TEXT NOT NULL,
    feed   TEXT NOT NULL,
    run    INTEGER NOT NULL,
    kind   TEXT NOT NULL CHECK (kind IN ('changed', 'removed', 'returned')),
    key    ANY NOT NULL,                        -- the value of the key's column, or a JSON array of several
    before TEXT                                 -- JSON: the columns that changed, as they were
) STRICT;
CREATE INDEX _change_key ON _change (feed, key);

-- How far a consumer of changes has come: all that these events and changes brought was printed.
CREATE TABLE _consumer (
    name   TEXT NOT NULL,
    feed   TEXT NOT NULL,
    event  INTEGER NOT NULL,
    change INTEGER NOT NULL,
    PRIMARY KEY (name, feed)
) STRICT, WITHOUT ROWID;

-- Made anew with the feeds' tables: what is new in them is a part of it. A feed of that name keeps its table.
CREATE VIEW IF NOT EXISTS change (at, feed, run, kind, key, before) AS
SELECT at, feed, run, kind, key, before FROM _change;

-- The changes of the columns of feeds whose whole list an earlier run had read.
CREATE TABLE _column_change (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,   -- in the order of the changes, never given twice
    at     TEXT NOT NULL,
    feed   TEXT NOT NULL,                       -- of a list, the feed that has it
    run    INTEGER NOT NULL,
    kind   TEXT NOT NULL CHECK (kind IN ('new', 'gone', 'type')),  -- gone: no item has it any more
    "column" TEXT NOT NULL,
    before TEXT,                                -- the column's type
    after  TEXT
) STRICT;
CREATE INDEX _column_change_feed ON _column_change (feed, id);

-- The response at which a feed's run failed last, to be looked at; secrets are masked.
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

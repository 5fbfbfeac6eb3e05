-- What was found of that which a feed's definition leaves open: items, key, columns, pagination.
ALTER TABLE _feed ADD COLUMN found TEXT; -- JSON, NULL while nothing was looked for

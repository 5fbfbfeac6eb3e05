-- The lists in a feed's items that have views: a JSON array of {column, members, plain}; NULL for a feed without.
ALTER TABLE _feed ADD COLUMN lists TEXT;

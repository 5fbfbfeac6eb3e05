-- Of a feed with `for_each`: the parent's rows that it has no list of yet, and those that changed since their list was asked
-- for. They are found once for each state of the parent, so that a run reads no more rows than it asks for.
ALTER TABLE _feed ADD COLUMN parent_state TEXT;   -- the state of the parent's rows in which they were found, as a hash
ALTER TABLE _feed ADD COLUMN parent_rows INTEGER; -- how many rows had a list then
CREATE TABLE _part_ahead (
    feed       TEXT NOT NULL,
    parent_key ANY NOT NULL,         -- as in `feed_part`
    is_new     INTEGER NOT NULL,     -- whether there is no list of the row yet
    generation INTEGER NOT NULL,     -- where the row stands
    position   INTEGER NOT NULL,
    PRIMARY KEY (feed, parent_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX _part_ahead_order ON _part_ahead (feed, is_new, generation DESC, position);
-- With the key, so that a run need not look at the lists themselves to know which are due.
DROP INDEX _feed_part_due;
CREATE INDEX _feed_part_due ON feed_part (feed, next_due_at, parent_key);
CREATE INDEX _feed_part_incomplete ON feed_part (feed, next_due_at) WHERE complete = 0;
CREATE INDEX _feed_part_failing ON _feed_part (feed) WHERE failures > 0;

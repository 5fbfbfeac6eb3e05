-- The feeds that were renamed or deleted. A worker whose configuration is older has them still, and leaves them alone.
CREATE TABLE _gone (
    feed          text PRIMARY KEY NOT NULL,
    configured_at bigint NOT NULL               -- milliseconds since 1970: a newer configuration may have a feed of this name
);
CREATE INDEX _feed_new_name ON _feed (new_name) WHERE new_name IS NOT NULL;

-- A feed's name changes in several statements of one transaction.
ALTER TABLE _feed ALTER CONSTRAINT _feed_feed_fkey DEFERRABLE;
ALTER TABLE _feed_part ALTER CONSTRAINT _feed_part_feed_fkey DEFERRABLE;

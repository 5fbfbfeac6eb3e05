-- The definitions of a group's feeds, so that workers with other ones do not change its tables in turn.
ALTER TABLE _claim ADD COLUMN definitions text NOT NULL DEFAULT '';         -- a hash of them
-- The time of the configuration that has them, in milliseconds since 1970: the newer one holds.
ALTER TABLE _claim ADD COLUMN configured_at bigint NOT NULL DEFAULT 0;
ALTER TABLE _layout ADD COLUMN configured_at bigint NOT NULL DEFAULT 0;
ALTER TABLE _worker ADD COLUMN configured_at bigint NOT NULL DEFAULT -1;    -- -1: a command, which holds no group
ALTER TABLE _worker ADD COLUMN layout text NOT NULL DEFAULT '';             -- the digest of its groups

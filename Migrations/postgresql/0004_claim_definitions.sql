-- The definitions of a group's feeds, so that workers with other ones do not change its tables in turn.
ALTER TABLE _claim ADD COLUMN definitions text NOT NULL DEFAULT '';         -- a hash of them
-- The time of the configuration that has them, in milliseconds since 1970: the newer one holds.
ALTER TABLE _claim ADD COLUMN configured_at bigint NOT NULL DEFAULT 0;
ALTER TABLE _layout ADD COLUMN configured_at bigint NOT NULL DEFAULT 0;
ALTER TABLE _worker ADD COLUMN configured_at bigint NOT NULL DEFAULT -1;    -- -1: a command, which holds no group
ALTER TABLE _worker ADD COLUMN layout text NOT NULL DEFAULT '';             -- the digest of its groups

-- A pooler that gives a session to another client leaves the setting empty, not NULL.
CREATE OR REPLACE FUNCTION _hold_claims() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Before any row: a worker locks its claim first and the feed second, too.
    IF coalesce(current_setting('feedsync.worker', true), '') = '' THEN LOCK TABLE _claim IN SHARE ROW EXCLUSIVE MODE; END IF;
    RETURN NULL;
END $$;
DROP TRIGGER _tell_claim ON feed;
CREATE TRIGGER _tell_claim AFTER UPDATE OF next_due_at ON feed
    FOR EACH ROW WHEN (
        OLD.next_due_at IS DISTINCT FROM NEW.next_due_at AND coalesce(current_setting('feedsync.worker', true), '') = '')
    EXECUTE FUNCTION _tell_claim();

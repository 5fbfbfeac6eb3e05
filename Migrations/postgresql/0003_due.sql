-- When a group is due, so that a claim looks at those that are, and not at all of them.
ALTER TABLE _claim ADD COLUMN due_at timestamptz NOT NULL DEFAULT '-infinity';
UPDATE _claim c SET due_at = (
    SELECT min(coalesce(f.next_due_at, '-infinity')) FROM unnest(c.feeds) m (name) LEFT JOIN feed f ON f.name = m.name);
CREATE INDEX _claim_due ON _claim (due_at);
CREATE INDEX _claim_feeds ON _claim USING gin (feeds);
-- Rows are written again and again: there is room beside each, and the old ones go soon.
ALTER TABLE _claim SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Which groups there are: how often that changed, and a digest of the latest worker's.
CREATE TABLE _layout (
    version  bigint NOT NULL,
    digest   text,                              -- NULL: another command changed them since
    is_whole boolean NOT NULL                   -- whether `_claim` has no other groups than these
);
INSERT INTO _layout VALUES (0, NULL, false);

-- Who sets `next_due_at` by hand is seen by the workers. What a worker sets, it tells when it lets go of its claim.
CREATE FUNCTION _hold_claims() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Before any row: a worker locks its claim first and the feed second, too.
    IF current_setting('feedsync.worker', true) IS NULL THEN LOCK TABLE _claim IN SHARE ROW EXCLUSIVE MODE; END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION _tell_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE _claim SET version = version + 1, due_at = least(due_at, coalesce(NEW.next_due_at, '-infinity'))
    WHERE feeds @> ARRAY[NEW.name];
    RETURN NULL;
END $$;
CREATE TRIGGER _hold_claims BEFORE UPDATE OF next_due_at ON feed
    FOR EACH STATEMENT EXECUTE FUNCTION _hold_claims();
CREATE TRIGGER _tell_claim AFTER UPDATE OF next_due_at ON feed
    FOR EACH ROW WHEN (OLD.next_due_at IS DISTINCT FROM NEW.next_due_at AND current_setting('feedsync.worker', true) IS NULL)
    EXECUTE FUNCTION _tell_claim();

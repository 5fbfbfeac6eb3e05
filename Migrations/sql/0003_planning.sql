-- What `feed.next_due_at` is worked out from, besides the feed's definition and the quota ledger.
-- A round is a sync that was not cut off.
ALTER TABLE _feed ADD COLUMN round_started_at TEXT;             -- of the last round; NULL before the first
ALTER TABLE _feed ADD COLUMN round_ended_at TEXT;
ALTER TABLE _feed ADD COLUMN failures INTEGER NOT NULL DEFAULT 0; -- rounds running that failed
ALTER TABLE _feed ADD COLUMN failing_since TEXT;                -- when the first of them ended
ALTER TABLE _feed ADD COLUMN poll_interval INTEGER;             -- seconds; X-Poll-Interval of the first page's last answer
ALTER TABLE _feed ADD COLUMN fresh_for INTEGER;                 -- seconds; its max-age, or Expires less Date
ALTER TABLE _feed ADD COLUMN planned_due_at TEXT;               -- what we wrote into next_due_at: another value is the user's
ALTER TABLE _feed ADD COLUMN quota_origin TEXT;                 -- with `resource`, the quota its last answer counted against
ALTER TABLE _feed ADD COLUMN quota_credential INTEGER;

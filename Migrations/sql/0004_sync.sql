-- How far a walk by watermark has come, as JSON; and how it ended where that alone does not prove that nothing is left.
ALTER TABLE _walk ADD COLUMN furthest TEXT;
ALTER TABLE _walk ADD COLUMN doubtful INTEGER NOT NULL DEFAULT 0;
-- Whether items may have moved past its pages unseen, because no sync has looked yet.
ALTER TABLE _walk ADD COLUMN is_unchecked INTEGER NOT NULL DEFAULT 0;

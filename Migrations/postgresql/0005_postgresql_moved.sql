-- The address to which an upstream has moved for good, once a run has said so.
ALTER TABLE _feed ADD COLUMN moved_to text;

-- Feeds that are asked for in parts: where a walk over them stands.
ALTER TABLE _walk ADD COLUMN part TEXT;                             -- the part that it is in the midst of
ALTER TABLE _walk ADD COLUMN part_elements INTEGER NOT NULL DEFAULT 0;
ALTER TABLE _walk ADD COLUMN part_total INTEGER;                    -- elements there are in it, as the upstream said last
ALTER TABLE _walk ADD COLUMN capped INTEGER NOT NULL DEFAULT 0;     -- whether a part that could not be halved ended before its total
ALTER TABLE _walk ADD COLUMN cap INTEGER;                           -- elements of a part that the upstream serves, once that was seen
ALTER TABLE _walk_page ADD COLUMN asked TEXT;                       -- the continuation that led to the page

-- The items of a feed that came back, by time, for charts.
CREATE INDEX _change_returned ON _change (feed, at) WHERE kind = 'returned';

-- In which transaction an event or a change was stored: who follows the store reads what came since it looked last. Their own
-- numbers do not tell that, since each worker gives numbers of a block of its own.
ALTER TABLE event ADD COLUMN _transaction xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX _event_transaction ON event (_transaction, id);
ALTER TABLE _change ADD COLUMN _transaction xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX _change_transaction ON _change (_transaction, id);

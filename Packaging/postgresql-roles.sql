-- Makes two roles and a schema for a store in PostgreSQL: feedsync_writer for workers and commands that sync, and
-- feedsync_reader for those who only read. Run it once, as a role that may create roles and owns the database:
--
--     psql feeds -f postgresql-roles.sql
--
-- It sets no passwords: `\password feedsync_writer` in psql does, without a trace in a log or history.
\set ON_ERROR_STOP on
BEGIN;
CREATE ROLE feedsync_writer LOGIN;
CREATE ROLE feedsync_reader LOGIN;

-- Other roles, except superusers, lose the database: grant CONNECT to those that need it.
REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"DBNAME" TO feedsync_writer, feedsync_reader;

-- The writer owns the schema, and all that feedsync makes in it. It has no rights elsewhere.
CREATE SCHEMA feedsync AUTHORIZATION feedsync_writer;
GRANT USAGE ON SCHEMA feedsync TO feedsync_reader;

-- feedsync makes tables and views later, and makes some views again.
ALTER DEFAULT PRIVILEGES FOR ROLE feedsync_writer IN SCHEMA feedsync GRANT SELECT ON TABLES TO feedsync_reader;
ALTER DEFAULT PRIVILEGES FOR ROLE feedsync_writer IN SCHEMA feedsync GRANT SELECT ON SEQUENCES TO feedsync_reader;

ALTER ROLE feedsync_writer IN DATABASE :"DBNAME" SET search_path = feedsync;
ALTER ROLE feedsync_reader IN DATABASE :"DBNAME" SET search_path = feedsync;
ALTER ROLE feedsync_reader IN DATABASE :"DBNAME" SET default_transaction_read_only = on;
COMMIT;

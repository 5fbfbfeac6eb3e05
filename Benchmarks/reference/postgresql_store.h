// The same table in PostgreSQL: each page is copied into a table of the session's, and merged from there, in one transaction.
#pragma once
#include <libpq-fe.h>

#include <string>
#include <string_view>
#include <vector>

#include "store.h"

class PostgreSQLStore {
  public:
    PostgreSQLStore(const std::string &uri, const std::vector<Column> &columns, bool) : values(columns.size()) {
        connection = PQconnectdb(uri.c_str());
        if (PQstatus(connection) != CONNECTION_OK) fail(uri, PQerrorMessage(connection));
        std::string definitions, names, updates;
        for (const Column &column : columns) {
            const bool is_key = &column == &columns.front();
            const char *comma = is_key ? "" : ", ";
            definitions += comma + column.name + (column.is_integer ? " bigint" : " text") + (is_key ? " PRIMARY KEY" : "");
            names += comma + column.name;
            if (!is_key) updates += (updates.empty() ? "" : ", ") + column.name + " = excluded." + column.name;
        }
        execute("SET client_min_messages = warning");
        execute("CREATE TABLE IF NOT EXISTS item (" + definitions + ")");
        execute("CREATE TEMPORARY TABLE page_item (LIKE item)");
        merge = "INSERT INTO item (" + names + ") SELECT DISTINCT ON (" + columns.front().name + ") " + names +
                " FROM page_item ON CONFLICT (" + columns.front().name + ") DO UPDATE SET " + updates +
                "; TRUNCATE page_item; COMMIT";
    }
    ~PostgreSQLStore() { PQfinish(connection); }
    PostgreSQLStore(const PostgreSQLStore &) = delete;
    PostgreSQLStore &operator=(const PostgreSQLStore &) = delete;

    void begin() {
        execute("BEGIN");
        PGresult *result = PQexec(connection, "COPY page_item FROM STDIN");
        if (PQresultStatus(result) != PGRES_COPY_IN) fail("COPY", PQerrorMessage(connection));
        PQclear(result);
        rows.clear();
    }
    void commit() {
        if (PQputCopyData(connection, rows.data(), static_cast<int>(rows.size())) != 1 || PQputCopyEnd(connection, nullptr) != 1)
            fail("COPY", PQerrorMessage(connection));
        while (PGresult *result = PQgetResult(connection)) {
            if (PQresultStatus(result) != PGRES_COMMAND_OK) fail("COPY", PQerrorMessage(connection));
            PQclear(result);
        }
        execute(merge);
    }

    void bind(int column, std::string_view text) {
        std::string &value = values[static_cast<size_t>(column - 1)];
        value.clear();
        for (const char byte : text) {
            switch (byte) {
            case '\\': value += "\\\\"; break;
            case '\t': value += "\\t"; break;
            case '\n': value += "\\n"; break;
            case '\r': value += "\\r"; break;
            default: value += byte;
            }
        }
    }
    void bind(int column, sqlite3_int64 number) { values[static_cast<size_t>(column - 1)] = std::to_string(number); }
    void bind_null(int column) { values[static_cast<size_t>(column - 1)] = "\\N"; }
    void insert() {
        for (const std::string &value : values) {
            rows += value;
            rows += '\t';
        }
        rows.back() = '\n';
    }

    std::string etag(int) { return ""; }
    void set_etag(int, const std::string &) {}

  private:
    PGconn *connection;
    std::vector<std::string> values;
    std::string rows, merge;

    void execute(const std::string &sql) {
        PGresult *result = PQexec(connection, sql.c_str());
        if (PQresultStatus(result) != PGRES_COMMAND_OK) fail(sql, PQerrorMessage(connection));
        PQclear(result);
    }
};

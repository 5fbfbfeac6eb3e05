// The store of the reference: one table, an upsert, one transaction a page.
#pragma once
#include <sqlite3.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

[[noreturn]] inline void fail(const std::string &what, const char *why) {
    std::fprintf(stderr, "reference: %s: %s\n", what.c_str(), why);
    std::exit(1);
}

struct Column {
    std::string name;
    bool is_integer;
};

class Store {
  public:
    Store(const std::string &path, const std::vector<Column> &columns, bool changed_only) {
        if (sqlite3_open(path.c_str(), &database) != SQLITE_OK) fail(path, sqlite3_errmsg(database));
        execute("PRAGMA journal_mode = WAL");
        execute("PRAGMA synchronous = NORMAL");
        std::string definitions, names, marks, updates, stored, given;
        for (const Column &column : columns) {
            const bool is_key = &column == &columns.front();
            const char *comma = is_key ? "" : ", ";
            definitions += comma + column.name + (column.is_integer ? " INTEGER" : " TEXT") + (is_key ? " PRIMARY KEY" : "");
            names += comma + column.name;
            marks += is_key ? "?" : ", ?";
            if (is_key) continue;
            const char *separator = updates.empty() ? "" : ", ";
            updates += separator + column.name + " = excluded." + column.name;
            stored += separator + ("item." + column.name);
            given += separator + ("excluded." + column.name);
        }
        execute("CREATE TABLE IF NOT EXISTS item (" + definitions + ")");
        execute("CREATE TABLE IF NOT EXISTS page (number INTEGER PRIMARY KEY, etag TEXT)");
        upsert = prepare("INSERT INTO item (" + names + ") VALUES (" + marks + ") ON CONFLICT (" + columns.front().name +
                         ") DO UPDATE SET " + updates +
                         (changed_only ? " WHERE (" + stored + ") IS NOT (" + given + ")" : ""));
        begin_transaction = prepare("BEGIN IMMEDIATE");
        commit_transaction = prepare("COMMIT");
        read_etag = prepare("SELECT etag FROM page WHERE number = ?");
        write_etag = prepare("INSERT OR REPLACE INTO page VALUES (?, ?)");
    }
    ~Store() {
        for (sqlite3_stmt *statement : {upsert, begin_transaction, commit_transaction, read_etag, write_etag})
            sqlite3_finalize(statement);
        sqlite3_close(database);
    }
    Store(const Store &) = delete;
    Store &operator=(const Store &) = delete;

    void begin() { run(begin_transaction); }
    void commit() { run(commit_transaction); }

    // The text is bound as it lies in the page: it must outlive `insert`.
    void bind(int column, std::string_view text) {
        sqlite3_bind_text(upsert, column, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
    }
    void bind(int column, sqlite3_int64 number) { sqlite3_bind_int64(upsert, column, number); }
    void bind_null(int column) { sqlite3_bind_null(upsert, column); }
    void insert() { run(upsert); }

    std::string etag(int page) {
        sqlite3_bind_int(read_etag, 1, page);
        std::string etag;
        if (sqlite3_step(read_etag) == SQLITE_ROW) {
            etag.assign(reinterpret_cast<const char *>(sqlite3_column_text(read_etag, 0)),
                        static_cast<size_t>(sqlite3_column_bytes(read_etag, 0)));
        }
        sqlite3_reset(read_etag);
        return etag;
    }
    void set_etag(int page, const std::string &etag) {
        sqlite3_bind_int(write_etag, 1, page);
        sqlite3_bind_text(write_etag, 2, etag.data(), static_cast<int>(etag.size()), SQLITE_STATIC);
        run(write_etag);
    }

  private:
    sqlite3 *database = nullptr;
    sqlite3_stmt *upsert, *begin_transaction, *commit_transaction, *read_etag, *write_etag;

    void execute(const std::string &sql) { run_once(prepare(sql)); }
    void run_once(sqlite3_stmt *statement) {
        while (sqlite3_step(statement) == SQLITE_ROW) {}
        if (sqlite3_finalize(statement) != SQLITE_OK) fail("SQLite", sqlite3_errmsg(database));
    }
    sqlite3_stmt *prepare(const std::string &sql) {
        sqlite3_stmt *statement = nullptr;
        if (sqlite3_prepare_v3(database, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK)
            fail(sql, sqlite3_errmsg(database));
        return statement;
    }
    void run(sqlite3_stmt *statement) {
        if (sqlite3_step(statement) != SQLITE_DONE) fail("SQLite", sqlite3_errmsg(database));
        sqlite3_reset(statement);
    }
};

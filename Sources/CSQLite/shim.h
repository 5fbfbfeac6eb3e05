#ifndef FEEDSYNC_CSQLITE_SHIM_H
#define FEEDSYNC_CSQLITE_SHIM_H

// Features of Debian's library that its header declares only on request: https://sqlite.org/sessionintro.html
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>

// sqlite3_config is variadic, too. Without statistics of memory, which nobody reads, an allocation takes no lock.
// https://sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmemstatus
static inline int csqlite_keep_no_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// The pages that a savepoint may have to restore stay in memory, however many: a file would be written for each page.
// https://sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigstmtjrnlspill
static inline int csqlite_keep_savepoints_in_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, -1);
}

// sqlite3_db_config is variadic, and Swift does not import variadic functions.
static inline int csqlite_db_config_set(sqlite3 *db, int option, int enabled) {
    return sqlite3_db_config(db, option, enabled, (int *)0);
}

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift does not import.
static inline int csqlite_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// As above.
static inline int csqlite_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

#include <stddef.h>

// memmem is declared only for those who say so before any header of the C library is read.
extern void *memmem(const void *bytes, size_t count, const void *part, size_t part_count);
static inline int csqlite_contains(const void *bytes, size_t count, const void *part, size_t part_count) {
    return memmem(bytes, count, part, part_count) != (void *)0;
}

#endif

#include "CPostgreSQL.h"
#include "CLibraryLoader.h"

struct cpq_functions cpq_functions;

#define ENTRY(name) {"PQ" #name, (void **)&cpq_functions.name, 0},

const char *cpq_load(void) {
    static const struct library_function functions[] = {CPQ_FUNCTIONS(ENTRY)};
    return library_load(LIBRARY_FILE("pq", "5"), functions, sizeof functions / sizeof *functions);
}

// The library writes the server's notices to stderr by itself.
static void be_silent(void *context, const char *message) { (void)context, (void)message; }

PGconn *cpq_connect(const char *const *names, const char *const *values) {
    // `dbname` may be a whole URI, which outranks what stands before it:
    // https://www.postgresql.org/docs/15/libpq-connect.html
    PGconn *connection = cpq_functions.connectdbParams(names, values, 1);
    if (connection != NULL) cpq_functions.setNoticeProcessor(connection, be_silent, NULL);
    return connection;
}

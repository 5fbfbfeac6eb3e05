#pragma once
// Debian has it in a folder of its own.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

// Only a store that is in PostgreSQL needs libpq, so it is opened when there is one. Functions have a `c` in front, and
// none of them may be called before `cpq_load` has succeeded.

/// Opens libpq; not to be called by two threads at once.
///
/// Returns NULL, or the dynamic linker's words for what is missing.
const char *cpq_load(void);

#define CPQ_FUNCTIONS(FUNCTION)                                                                                        \
    FUNCTION(backendPID)                                                                                               \
    FUNCTION(clear)                                                                                                    \
    FUNCTION(connectdbParams)                                                                                          \
    FUNCTION(conninfoFree)                                                                                             \
    FUNCTION(conninfoParse)                                                                                            \
    FUNCTION(consumeInput)                                                                                             \
    FUNCTION(db)                                                                                                       \
    FUNCTION(errorMessage)                                                                                             \
    FUNCTION(execParams)                                                                                               \
    FUNCTION(finish)                                                                                                   \
    FUNCTION(fname)                                                                                                    \
    FUNCTION(freemem)                                                                                                  \
    FUNCTION(ftype)                                                                                                    \
    FUNCTION(getCopyData)                                                                                              \
    FUNCTION(getResult)                                                                                                \
    FUNCTION(getisnull)                                                                                                \
    FUNCTION(getlength)                                                                                                \
    FUNCTION(getvalue)                                                                                                 \
    FUNCTION(host)                                                                                                     \
    FUNCTION(isBusy)                                                                                                   \
    FUNCTION(nfields)                                                                                                  \
    FUNCTION(ntuples)                                                                                                  \
    FUNCTION(parameterStatus)                                                                                          \
    FUNCTION(port)                                                                                                     \
    FUNCTION(putCopyData)                                                                                              \
    FUNCTION(putCopyEnd)                                                                                               \
    FUNCTION(resultErrorField)                                                                                         \
    FUNCTION(resultErrorMessage)                                                                                       \
    FUNCTION(resultStatus)                                                                                             \
    FUNCTION(sendQuery)                                                                                                \
    FUNCTION(serverVersion)                                                                                            \
    FUNCTION(setNoticeProcessor)                                                                                       \
    FUNCTION(socket)                                                                                                   \
    FUNCTION(status)                                                                                                   \
    FUNCTION(transactionStatus)

// As the library's header declares them, so that the compiler checks each call against it.
#define CPQ_MEMBER(name) __typeof__(PQ##name) *name;
extern struct cpq_functions { CPQ_FUNCTIONS(CPQ_MEMBER) } cpq_functions;

/// Connects by parameters, of which later ones outrank earlier ones; both lists end with NULL.
///
/// The server's remarks are not written to stderr.
PGconn *cpq_connect(const char *const *names, const char *const *values);

static inline void cpq_finish(PGconn *connection) { cpq_functions.finish(connection); }
static inline int cpq_backend_id(const PGconn *connection) { return cpq_functions.backendPID(connection); }
static inline int cpq_socket(const PGconn *connection) { return cpq_functions.socket(connection); }
static inline ConnStatusType cpq_status(const PGconn *connection) { return cpq_functions.status(connection); }
static inline const char *cpq_error_message(const PGconn *connection) { return cpq_functions.errorMessage(connection); }
static inline const char *cpq_database(const PGconn *connection) { return cpq_functions.db(connection); }
static inline const char *cpq_host(const PGconn *connection) { return cpq_functions.host(connection); }
static inline const char *cpq_port(const PGconn *connection) { return cpq_functions.port(connection); }
static inline int cpq_server_version(const PGconn *connection) { return cpq_functions.serverVersion(connection); }

static inline const char *cpq_parameter_status(const PGconn *connection, const char *name)
{
    return cpq_functions.parameterStatus(connection, name);
}

static inline PGTransactionStatusType cpq_transaction_status(const PGconn *connection)
{
    return cpq_functions.transactionStatus(connection);
}

// Parameters and results are text.
static inline PGresult *cpq_execute(PGconn *connection, const char *sql, int count, const char *const *values)
{
    return cpq_functions.execParams(connection, sql, count, NULL, values, NULL, NULL, 0);
}

// Several statements, without parameters.
static inline int cpq_send_all(PGconn *connection, const char *sql)
{
    return cpq_functions.sendQuery(connection, sql);
}

// True if a result would have to be waited for, by the bytes that have come so far.
static inline int cpq_is_busy(PGconn *connection)
{
    return cpq_functions.consumeInput(connection) && cpq_functions.isBusy(connection);
}

static inline PGresult *cpq_result(PGconn *connection) { return cpq_functions.getResult(connection); }
static inline void cpq_clear(PGresult *result) { cpq_functions.clear(result); }
static inline ExecStatusType cpq_result_status(const PGresult *result) { return cpq_functions.resultStatus(result); }
static inline const char *cpq_result_message(const PGresult *result) { return cpq_functions.resultErrorMessage(result); }
static inline const char *cpq_result_field(const PGresult *result, int field)
{
    return cpq_functions.resultErrorField(result, field);
}
static inline int cpq_row_count(const PGresult *result) { return cpq_functions.ntuples(result); }
static inline int cpq_column_count(const PGresult *result) { return cpq_functions.nfields(result); }
static inline const char *cpq_column_name(const PGresult *result, int column)
{
    return cpq_functions.fname(result, column);
}
static inline Oid cpq_column_type(const PGresult *result, int column) { return cpq_functions.ftype(result, column); }
static inline int cpq_is_null(const PGresult *result, int row, int column)
{
    return cpq_functions.getisnull(result, row, column);
}
static inline const char *cpq_value(const PGresult *result, int row, int column)
{
    return cpq_functions.getvalue(result, row, column);
}
static inline int cpq_length(const PGresult *result, int row, int column)
{
    return cpq_functions.getlength(result, row, column);
}

static inline int cpq_put_copy_data(PGconn *connection, const char *bytes, int count)
{
    return cpq_functions.putCopyData(connection, bytes, count);
}
static inline int cpq_put_copy_end(PGconn *connection, const char *error)
{
    return cpq_functions.putCopyEnd(connection, error);
}
static inline int cpq_get_copy_data(PGconn *connection, char **bytes)
{
    return cpq_functions.getCopyData(connection, bytes, 0);
}
static inline void cpq_free(void *bytes) { cpq_functions.freemem(bytes); }
static inline PQconninfoOption *cpq_parse(const char *uri, char **error)
{
    return cpq_functions.conninfoParse(uri, error);
}
static inline void cpq_parse_end(PQconninfoOption *options) { cpq_functions.conninfoFree(options); }

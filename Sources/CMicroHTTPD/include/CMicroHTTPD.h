#pragma once
#include <microhttpd.h>

// Only `feedsync demo` uses it. libmicrohttpd and its TLS library take 2 ms to open, so that is done when a server
// starts. Functions have a `c` in front, and none of them may be called before `cmhd_load` has succeeded.

/// Opens libmicrohttpd; not to be called by two threads at once.
///
/// Returns NULL, or the dynamic linker's words for what is missing.
const char *cmhd_load(void);

#define CMHD_FUNCTIONS(FUNCTION)                                                                                       \
    FUNCTION(add_response_header)                                                                                      \
    FUNCTION(create_response_from_buffer)                                                                              \
    FUNCTION(create_response_from_callback)                                                                            \
    FUNCTION(destroy_response)                                                                                         \
    FUNCTION(get_connection_info)                                                                                      \
    FUNCTION(get_connection_values_n)                                                                                  \
    FUNCTION(queue_response)                                                                                           \
    FUNCTION(quiesce_daemon)                                                                                           \
    FUNCTION(set_panic_func)                                                                                           \
    FUNCTION(start_daemon)                                                                                             \
    FUNCTION(stop_daemon)

// As the library's header declares them, so that the compiler checks each call against it.
#define CMHD_MEMBER(name) __typeof__(MHD_##name) *name;
extern struct cmhd_functions { CMHD_FUNCTIONS(CMHD_MEMBER) } cmhd_functions;

typedef void *(*cmhd_uri_callback)(void *context, const char *uri, struct MHD_Connection *connection);

// Swift does not import variadic functions, and MHD_start_daemon takes its options that way.
// Without MHD_USE_ERROR_LOG the library writes nothing to stderr.
static inline struct MHD_Daemon *cmhd_start_daemon(
    int listening_socket, size_t connection_memory, cmhd_uri_callback begin,
    MHD_AccessHandlerCallback receive, MHD_RequestCompletedCallback end, void *context)
{
    return cmhd_functions.start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, 0, NULL, NULL, receive, context,
        MHD_OPTION_LISTEN_SOCKET, listening_socket,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
        MHD_OPTION_URI_LOG_CALLBACK, begin, context,
        MHD_OPTION_NOTIFY_COMPLETED, end, context,
        MHD_OPTION_END);
}

static inline int cmhd_quiesce_daemon(struct MHD_Daemon *daemon) { return cmhd_functions.quiesce_daemon(daemon); }

static inline void cmhd_stop_daemon(struct MHD_Daemon *daemon) { cmhd_functions.stop_daemon(daemon); }

// MHD_get_connection_info is variadic too. Gives -1 where there is no socket.
static inline int cmhd_socket(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        cmhd_functions.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

static inline int cmhd_get_connection_values_n(
    struct MHD_Connection *connection, enum MHD_ValueKind kind, MHD_KeyValueIteratorN next, void *context)
{
    return cmhd_functions.get_connection_values_n(connection, kind, next, context);
}

static inline enum MHD_Result cmhd_add_response_header(
    struct MHD_Response *response, const char *name, const char *value)
{
    return cmhd_functions.add_response_header(response, name, value);
}

static inline enum MHD_Result cmhd_queue_response(
    struct MHD_Connection *connection, unsigned status, struct MHD_Response *response)
{
    return cmhd_functions.queue_response(connection, status, response);
}

static inline struct MHD_Response *cmhd_create_response_from_buffer(
    size_t size, void *bytes, enum MHD_ResponseMemoryMode mode)
{
    return cmhd_functions.create_response_from_buffer(size, bytes, mode);
}

static inline struct MHD_Response *cmhd_create_response_from_callback(
    uint64_t size, size_t block_size, MHD_ContentReaderCallback read, void *context,
    MHD_ContentReaderFreeCallback release)
{
    return cmhd_functions.create_response_from_callback(size, block_size, read, context, release);
}

static inline void cmhd_destroy_response(struct MHD_Response *response) { cmhd_functions.destroy_response(response); }

// Macros with a cast in them are not imported.
static inline ssize_t cmhd_end_of_stream(void) { return MHD_CONTENT_READER_END_OF_STREAM; }
static inline ssize_t cmhd_end_with_error(void) { return MHD_CONTENT_READER_END_WITH_ERROR; }
static inline uint64_t cmhd_size_unknown(void) { return MHD_SIZE_UNKNOWN; }

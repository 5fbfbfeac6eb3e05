#ifndef FEEDSYNC_CMICROHTTPD_SHIM_H
#define FEEDSYNC_CMICROHTTPD_SHIM_H

#include <microhttpd.h>

typedef void *(*feedsync_mhd_uri_callback)(void *context, const char *uri, struct MHD_Connection *connection);

// Swift does not import variadic functions, and MHD_start_daemon takes its options that way.
// Without MHD_USE_ERROR_LOG the library writes nothing to stderr.
static inline struct MHD_Daemon *feedsync_mhd_start(
    int listening_socket, size_t connection_memory, feedsync_mhd_uri_callback begin,
    MHD_AccessHandlerCallback receive, MHD_RequestCompletedCallback end, void *context)
{
    return MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, 0, NULL, NULL, receive, context,
        MHD_OPTION_LISTEN_SOCKET, listening_socket,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
        MHD_OPTION_URI_LOG_CALLBACK, begin, context,
        MHD_OPTION_NOTIFY_COMPLETED, end, context,
        MHD_OPTION_END);
}

// MHD_get_connection_info is variadic too. Gives -1 where there is no socket.
static inline int feedsync_mhd_socket(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

// Macros with a cast in them are not imported.
static inline ssize_t feedsync_mhd_end_of_stream(void) { return MHD_CONTENT_READER_END_OF_STREAM; }
static inline ssize_t feedsync_mhd_end_with_error(void) { return MHD_CONTENT_READER_END_WITH_ERROR; }
static inline uint64_t feedsync_mhd_size_unknown(void) { return MHD_SIZE_UNKNOWN; }

#endif

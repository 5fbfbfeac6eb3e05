#ifndef FEEDSYNC_CPLATFORM_SHIM_H
#define FEEDSYNC_CPLATFORM_SHIM_H

// System calls that differ from system to system, or that Swift does not import, under names of our own. The types here
// are the same on every system, so that no Swift code depends on it.

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <crt_externs.h>
#include <iconv.h>
#include <sys/event.h>
#else
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

// MARK: Files

// pipe2 is Linux's own, and declared only for those who ask for GNU's names before any header of the C library is read.
// https://man7.org/linux/man-pages/man2/pipe.2.html
#ifndef __APPLE__
extern int pipe2(int ends[2], int flags);
#endif

// Opens a pipe that no child inherits. On macOS, a child that starts at the same moment does: nothing opens and marks
// at once.
static inline int platform_pipe(int ends[2]) {
#ifdef __APPLE__
    if (pipe(ends) != 0) return -1;
    for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    return 0;
#else
    return pipe2(ends, O_CLOEXEC);
#endif
}

// Returns the time of the last change of a file's content.
static inline struct timespec platform_changed_at(const struct stat *status) {
#ifdef __APPLE__
    return status->st_mtimespec;
#else
    return status->st_mtim;
#endif
}

// The commands of fcntl for locks that belong to the open file: F_OFD_GETLK and F_OFD_SETLK, declared as pipe2 is.
// https://man7.org/linux/man-pages/man2/fcntl_locking.2.html and xnu's bsd/sys/fcntl.h
#ifdef __APPLE__
static const int platform_find_lock = 92;
static const int platform_set_lock = 90;
#else
static const int platform_find_lock = 36;
static const int platform_set_lock = 37;
#endif

// MARK: Sockets

// Types that differ: an enumeration in the GNU C library, a number elsewhere.
static const int platform_stream = SOCK_STREAM;
static const int platform_datagram = SOCK_DGRAM;

// Flags of send: a peer that has gone is an error and no SIGPIPE; more is to follow.
#ifdef __APPLE__
static const int platform_send_quietly = 0;
static const int platform_send_more = 0;
#else
static const int platform_send_quietly = MSG_NOSIGNAL;
static const int platform_send_more = MSG_MORE;
#endif

#ifdef __APPLE__
static inline int platform_prepared_socket(int socket, int waits) {
    int yes = 1;
    if (socket < 0) return socket;
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    fcntl(socket, F_SETFL, waits ? 0 : O_NONBLOCK);
    setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
    return socket;
}
#endif

// Opens a socket that no child inherits; `waits` is 0 if its calls are not to wait.
static inline int platform_socket(int family, int type, int protocol, int waits) {
#ifdef __APPLE__
    return platform_prepared_socket(socket(family, type, protocol), waits);
#else
    return socket(family, type | SOCK_CLOEXEC | (waits ? 0 : SOCK_NONBLOCK), protocol);
#endif
}

// Accepts a connection that no child inherits and whose calls do not wait. accept4 is declared as pipe2 is.
// https://man7.org/linux/man-pages/man2/accept.2.html
static inline int platform_accept(int listener, struct sockaddr_storage *address) {
    socklen_t size = sizeof *address;
#ifdef __APPLE__
    return platform_prepared_socket(accept(listener, (struct sockaddr *)address, &size), 0);
#else
    return (int)syscall(SYS_accept4, listener, address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
#endif
}

// The event of poll for a peer that sends nothing more, and those for a connection that has failed. POLLRDHUP is
// declared as pipe2 is. macOS reports the first as POLLHUP, for those who ask for it: poll_callback in xnu's
// bsd/kern/sys_generic.c
#ifdef __APPLE__
static const int platform_poll_end = POLLHUP;
static const int platform_poll_failure = POLLERR | POLLNVAL;
#else
static const int platform_poll_end = 0x2000;
static const int platform_poll_failure = POLLERR | POLLNVAL | POLLHUP;
#endif

// Ends a connection with a TCP reset. On Linux, connecting to AF_UNSPEC does it; on macOS, closing after a linger time
// of zero, with another file in the socket's place, for whoever closes that number. A linger time alone would not do
// it: libmicrohttpd sends a FIN before it closes.
// https://man7.org/linux/man-pages/man2/connect.2.html
static inline void platform_reset(int socket) {
#ifdef __APPLE__
    struct linger none = {.l_onoff = 1, .l_linger = 0};
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    if (nothing < 0) return;
    dup2(nothing, socket);
    close(nothing);
#else
    struct sockaddr nobody = {.sa_family = AF_UNSPEC};
    connect(socket, &nobody, sizeof nobody);
#endif
}

// MARK: Threads

// Starts a thread; its number is 0 where the system refuses, and errno says why. pthread_t is a number on one system, a
// pointer on another. macOS would give it a stack of 512 KB, too little for values that are nested as deep as is
// allowed.
static inline uintptr_t platform_start_thread(void *(*body)(void *), void *context) {
    pthread_t thread;
#ifdef __APPLE__
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 8 << 20);
    errno = pthread_create(&thread, &attributes, body, context);
    pthread_attr_destroy(&attributes);
#else
    errno = pthread_create(&thread, NULL, body, context);
#endif
    return errno == 0 ? (uintptr_t)thread : 0;
}

static inline void platform_join_thread(uintptr_t thread) { pthread_join((pthread_t)thread, NULL); }
static inline void platform_detach_thread(uintptr_t thread) { pthread_detach((pthread_t)thread); }
static inline uintptr_t platform_this_thread(void) { return (uintptr_t)pthread_self(); }

// The clock of timed waits, which does not run while the machine sleeps.
#ifdef __APPLE__
static inline struct timespec platform_wait_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_UPTIME_RAW, &now);
    return now;
}
#else
static inline struct timespec platform_wait_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now;
}
#endif

// Makes a condition whose waits are measured on that clock. macOS knows only waits of a length.
static inline void platform_condition_init(pthread_cond_t *condition) {
#ifdef __APPLE__
    pthread_cond_init(condition, NULL);
#else
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
#endif
}

// Waits for the condition until a moment of the clock.
static inline void platform_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, struct timespec until) {
#ifdef __APPLE__
    struct timespec now = platform_wait_clock();
    struct timespec left = {.tv_sec = until.tv_sec - now.tv_sec, .tv_nsec = until.tv_nsec - now.tv_nsec};
    if (left.tv_nsec < 0) {
        left.tv_sec -= 1;
        left.tv_nsec += 1000000000;
    }
    if (left.tv_sec >= 0) pthread_cond_timedwait_relative_np(condition, mutex, &left);
#else
    pthread_cond_timedwait(condition, mutex, &until);
#endif
}

static inline void *platform_wait_at_barrier(void *lock) {
    pthread_mutex_lock((pthread_mutex_t *)lock);
    pthread_mutex_unlock((pthread_mutex_t *)lock);
    return NULL;
}

// Returns 1 if the system starts this number of threads at once; at most 64. libdispatch tries again for ever where it
// does not: _dispatch_root_queue_poke_slow in
// https://github.com/swiftlang/swift-corelibs-libdispatch/blob/main/src/queue.c
static inline int platform_has_threads(int count) {
    pthread_t threads[64];
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int started = 0;
    if (count > 64) count = 64;
    pthread_mutex_lock(&lock);
    while (started < count && pthread_create(&threads[started], NULL, platform_wait_at_barrier, &lock) == 0) started++;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    return started == count;
}

// Returns 1 if the kernel gives this process events. libdispatch, which runs Swift's tasks, ends the process without a
// word where it does not: _dispatch_epoll_init in
// https://github.com/swiftlang/swift-corelibs-libdispatch/blob/main/src/event/event_epoll.c
static inline int platform_has_events(void) {
#ifdef __APPLE__
    int queue = kqueue();
    if (queue < 0) return 0;
    close(queue);
    return 1;
#else
    int set = epoll_create1(EPOLL_CLOEXEC);
    if (set < 0) return 0;
    int file = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN};
    int has = file >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, file, &event) == 0;
    if (file >= 0) close(file);
    close(set);
    return has;
#endif
}

// MARK: The process

// The variables of the environment, which nothing in this process changes; the last one is NULL.
static inline char **platform_environment(void) {
#ifdef __APPLE__
    return *_NSGetEnviron();
#else
    extern char **environ;
    return environ;
#endif
}

// The program that opens an address in the user's browser.
#ifdef __APPLE__
#define PLATFORM_OPENER "open"
#else
#define PLATFORM_OPENER "xdg-open"
#endif

// The resources whose use has a limit: an enumeration in the GNU C library, a number elsewhere.
static const int platform_files = RLIMIT_NOFILE;
static const int platform_core = RLIMIT_CORE;
static const int platform_address_space = RLIMIT_AS;
static const int platform_data = RLIMIT_DATA;
static inline int platform_get_limit(int resource, struct rlimit *limit) { return getrlimit(resource, limit); }
static inline int platform_set_limit(int resource, const struct rlimit *limit) { return setrlimit(resource, limit); }

// Keeps memory from a program that the system pipes core files to. prctl is variadic, and Swift does not import
// variadic functions. https://man7.org/linux/man-pages/man2/PR_SET_DUMPABLE.2const.html; macOS has no such pipe.
static inline void platform_refuse_dumps(void) {
#ifndef __APPLE__
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

// Returns 1 if the process ignores the signal. SIG_IGN is not a real function, and Swift cannot compare functions.
static inline int platform_ignores(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

// The number of columns of a terminal; 0 where there is none. Which module has `struct winsize` depends on the glibc.
// https://man7.org/linux/man-pages/man2/TIOCSWINSZ.2const.html
static inline int platform_terminal_columns(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// The text and the exit code for memory that is gone, because another program has cut the file that was mapped there.
struct platform_end { char text[256]; int code; };
static inline struct platform_end *platform_end_at_loss(void) {
    static struct platform_end end;
    return &end;
}

static void platform_end_at_lost_memory(int number, siginfo_t *info, void *context) {
    (void)context;
    if (info->si_code == BUS_ADRERR) {
        ssize_t written = write(2, platform_end_at_loss()->text, strlen(platform_end_at_loss()->text));
        (void)written;
        _exit(platform_end_at_loss()->code);
    }
    signal(number, SIG_DFL);
    raise(number);
}

// Ends the process with a text on stderr and an exit code when memory of a mapped file is gone. The text has 255 bytes
// at most.
static inline void platform_end_when_memory_is_lost(const char *text, int code) {
    strncpy(platform_end_at_loss()->text, text, sizeof platform_end_at_loss()->text - 1);
    platform_end_at_loss()->code = code;
    struct sigaction action = {.sa_sigaction = platform_end_at_lost_memory, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &action, NULL);
}

#endif

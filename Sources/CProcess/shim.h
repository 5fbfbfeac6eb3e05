#ifndef FEEDSYNC_CPROCESS_SHIM_H
#define FEEDSYNC_CPROCESS_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

// prctl is variadic, and Swift does not import variadic functions.
// https://man7.org/linux/man-pages/man2/PR_SET_DUMPABLE.2const.html
static inline int cprocess_refuse_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// The number of columns of a terminal; 0 where there is none. Which module has `struct winsize` depends on the glibc.
// https://man7.org/linux/man-pages/man2/TIOCSWINSZ.2const.html
static inline int cprocess_terminal_columns(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// Glibc's module has no pipe2. https://man7.org/linux/man-pages/man2/pipe.2.html
extern int pipe2(int ends[2], int flags);
static inline int cprocess_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC);
}

// Whether the kernel gives this process events. libdispatch, which runs Swift's tasks, ends the process without a word where
// it does not: _dispatch_epoll_init in
// https://github.com/swiftlang/swift-corelibs-libdispatch/blob/main/src/event/event_epoll.c
static inline int cprocess_has_events(void) {
    int set = epoll_create1(EPOLL_CLOEXEC);
    if (set < 0) return 0;
    int file = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN};
    int has = file >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, file, &event) == 0;
    if (file >= 0) close(file);
    close(set);
    return has;
}

// Waits until all threads of a group have been started.
static inline void *cprocess_wait_at_barrier(void *lock) {
    pthread_mutex_lock((pthread_mutex_t *)lock);
    pthread_mutex_unlock((pthread_mutex_t *)lock);
    return NULL;
}

// Whether the system starts this number of threads at once; at most 64. libdispatch tries again for ever where it does not:
// _dispatch_root_queue_poke_slow in https://github.com/swiftlang/swift-corelibs-libdispatch/blob/main/src/queue.c
static inline int cprocess_has_threads(int count) {
    pthread_t threads[64];
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int started = 0;
    if (count > 64) count = 64;
    pthread_mutex_lock(&lock);
    while (started < count && pthread_create(&threads[started], NULL, cprocess_wait_at_barrier, &lock) == 0) started++;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    return started == count;
}

// The text and the exit code for memory that is gone, because another program has cut the file that was mapped there.
struct cprocess_end { char text[256]; int code; };
static inline struct cprocess_end *cprocess_end_at_loss(void) {
    static struct cprocess_end end;
    return &end;
}

static void cprocess_end_at_lost_memory(int number, siginfo_t *info, void *context) {
    (void)context;
    if (info->si_code == BUS_ADRERR) {
        ssize_t written = write(2, cprocess_end_at_loss()->text, strlen(cprocess_end_at_loss()->text));
        (void)written;
        _exit(cprocess_end_at_loss()->code);
    }
    signal(number, SIG_DFL);
    raise(number);
}

// Ends the process with a text on stderr and an exit code when memory of a mapped file is gone. The text has 255 bytes at most.
static inline void cprocess_end_when_memory_is_lost(const char *text, int code) {
    strncpy(cprocess_end_at_loss()->text, text, sizeof cprocess_end_at_loss()->text - 1);
    cprocess_end_at_loss()->code = code;
    struct sigaction action = {.sa_sigaction = cprocess_end_at_lost_memory, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &action, NULL);
}

#endif

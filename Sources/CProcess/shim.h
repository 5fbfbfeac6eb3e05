#ifndef FEEDSYNC_CPROCESS_SHIM_H
#define FEEDSYNC_CPROCESS_SHIM_H

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

// prctl is variadic, and Swift does not import variadic functions.
// https://man7.org/linux/man-pages/man2/PR_SET_DUMPABLE.2const.html
static inline int cprocess_refuse_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
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

#endif

#ifndef FEEDSYNC_CEPOLL_SHIM_H
#define FEEDSYNC_CEPOLL_SHIM_H

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

// Glibc's module has no accept4; without it, a child that starts at that moment would keep the connection.
// https://man7.org/linux/man-pages/man2/accept.2.html
static inline int cepoll_accept(int socket, void *address, unsigned *size, int flags) {
    return (int)syscall(SYS_accept4, socket, address, size, flags);
}

#endif

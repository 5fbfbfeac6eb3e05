// Preloaded into feedsync by Scripts/faults: counts its calls of libc that concern files and sockets, and kills the
// process before one of them, or lets it fail.
//
//     FAULTS_LOG=FILE       the call that was hit, or each call with FAULTS_ACTION=count
//     FAULTS_ACTION=count | kill | short | fail
//     FAULTS_CALLS=a,b      which calls count; absent: all
//     FAULTS_AT=N           the first one that is hit, from 1
//     FAULTS_TIMES=N        how many in a row are hit; 0: all from then on
//     FAULTS_ERROR=N        errno of those that fail
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum action { NONE, COUNT, KILL, SHORT, FAIL };

static enum action action;
static long first, times;
static int error, log_file = -1;
static const char *calls;
static atomic_long counter;

__attribute__((constructor)) static void begin(void) {
    const char *word = getenv("FAULTS_ACTION"), *path = getenv("FAULTS_LOG");
    if (!word || !path) return;
    // Beyond the numbers that feedsync gets, so that its own are as without us.
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    log_file = (int)syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, 900);
    syscall(SYS_close, file);
    first = atol(getenv("FAULTS_AT") ? getenv("FAULTS_AT") : "0");
    times = atol(getenv("FAULTS_TIMES") ? getenv("FAULTS_TIMES") : "1");
    error = atoi(getenv("FAULTS_ERROR") ? getenv("FAULTS_ERROR") : "0");
    calls = getenv("FAULTS_CALLS");
    action = !strcmp(word, "count") ? COUNT : !strcmp(word, "kill") ? KILL : !strcmp(word, "short") ? SHORT : FAIL;
    // What feedsync starts is not meant.
    unsetenv("LD_PRELOAD");
}

static void note(const char *name) {
    char line[64];
    int length = snprintf(line, sizeof line, "%s\n", name);
    syscall(SYS_write, log_file, line, length);
}

static int counts(const char *name) {
    if (!calls) return 1;
    size_t length = strlen(name);
    for (const char *at = calls; (at = strstr(at, name)); at += length) {
        if ((at == calls || at[-1] == ',') && (at[length] == 0 || at[length] == ',')) return 1;
    }
    return 0;
}

// Whether this call is hit. Nobody sees that it looked: errno stays.
static int is_hit(const char *name) {
    if (action == NONE || !counts(name)) return 0;
    int before = errno;
    if (action == COUNT) {
        note(name);
        errno = before;
        return 0;
    }
    long number = atomic_fetch_add(&counter, 1) + 1;
    if (number < first || (times && number >= first + times)) return 0;
    // What waits for events asks again, and would do nothing else: libdispatch and libmicrohttpd, with all of a core.
    if (number > first && (!strcmp(name, "poll") || !strcmp(name, "epoll_wait"))) return 0;
    if (number == first) note(name);
    if (action == KILL) syscall(SYS_kill, (pid_t)syscall(SYS_getpid), SIGKILL);
    errno = before;
    return 1;
}

#define REAL(name) ((__typeof__(&name))({ \
    static void *_Atomic real; \
    void *found = real; \
    if (!found) real = found = dlsym(RTLD_NEXT, #name); \
    found; }))

#define STRING(word) #word

// A call that fails, or does what it should.
#define PLAIN(type, failed, call, name, parameters, ...) \
    type name parameters { \
        if (is_hit(STRING(call)) && action == FAIL) { errno = error; return failed; } \
        return REAL(name)(__VA_ARGS__); \
    }

// One that has a count: half of it is done where counts are short.
#define COUNTED(call, name, parameters, count, ...) \
    ssize_t name parameters { \
        if (is_hit(STRING(call))) { \
            if (action == FAIL) { errno = error; return -1; } \
            if (action == SHORT && count > 1) count /= 2; \
        } \
        return REAL(name)(__VA_ARGS__); \
    }

COUNTED(read, read, (int file, void *bytes, size_t count), count, file, bytes, count)
COUNTED(write, write, (int file, const void *bytes, size_t count), count, file, bytes, count)
COUNTED(pread, pread, (int file, void *bytes, size_t count, off_t at), count, file, bytes, count, at)
COUNTED(pread, pread64, (int file, void *bytes, size_t count, off64_t at), count, file, bytes, count, at)
COUNTED(pwrite, pwrite, (int file, const void *bytes, size_t count, off_t at), count, file, bytes, count, at)
COUNTED(pwrite, pwrite64, (int file, const void *bytes, size_t count, off64_t at), count, file, bytes, count, at)
COUNTED(send, send, (int file, const void *bytes, size_t count, int flags), count, file, bytes, count, flags)
COUNTED(recv, recv, (int file, void *bytes, size_t count, int flags), count, file, bytes, count, flags)

PLAIN(ssize_t, -1, sendto, sendto,
      (int file, const void *bytes, size_t count, int flags, __CONST_SOCKADDR_ARG to, socklen_t size), file, bytes,
      count, flags, to, size)
PLAIN(ssize_t, -1, recvfrom, recvfrom,
      (int file, void *restrict bytes, size_t count, int flags, __SOCKADDR_ARG from, socklen_t *restrict size), file,
      bytes, count, flags, from, size)
PLAIN(int, -1, socket, socket, (int domain, int type, int protocol), domain, type, protocol)
PLAIN(int, -1, socketpair, socketpair, (int domain, int type, int protocol, int ends[2]), domain, type, protocol, ends)
PLAIN(int, -1, connect, connect, (int file, __CONST_SOCKADDR_ARG to, socklen_t size), file, to, size)
PLAIN(int, -1, getsockname, getsockname, (int file, __SOCKADDR_ARG to, socklen_t *restrict size), file, to, size)
PLAIN(int, -1, getpeername, getpeername, (int file, __SOCKADDR_ARG to, socklen_t *restrict size), file, to, size)
PLAIN(int, -1, getsockopt, getsockopt, (int file, int level, int name, void *restrict value, socklen_t *restrict size),
      file, level, name, value, size)
PLAIN(int, -1, setsockopt, setsockopt, (int file, int level, int name, const void *value, socklen_t size), file, level,
      name, value, size)
PLAIN(int, -1, poll, poll, (struct pollfd *files, nfds_t count, int timeout), files, count, timeout)
PLAIN(int, -1, pipe, pipe, (int ends[2]), ends)
PLAIN(int, -1, eventfd, eventfd, (unsigned int value, int flags), value, flags)
PLAIN(int, -1, epoll_create1, epoll_create1, (int flags), flags)
PLAIN(int, -1, epoll_ctl, epoll_ctl, (int set, int what, int file, struct epoll_event *event), set, what, file, event)
PLAIN(int, -1, epoll_wait, epoll_wait, (int set, struct epoll_event *events, int count, int timeout), set, events,
      count, timeout)
PLAIN(int, -1, stat, stat, (const char *restrict path, struct stat *restrict facts), path, facts)
PLAIN(int, -1, stat, stat64, (const char *restrict path, struct stat64 *restrict facts), path, facts)
PLAIN(int, -1, lstat, lstat, (const char *restrict path, struct stat *restrict facts), path, facts)
PLAIN(int, -1, lstat, lstat64, (const char *restrict path, struct stat64 *restrict facts), path, facts)
PLAIN(int, -1, fstat, fstat, (int file, struct stat *facts), file, facts)
PLAIN(int, -1, fstat, fstat64, (int file, struct stat64 *facts), file, facts)
PLAIN(int, -1, statvfs, statvfs, (const char *restrict path, struct statvfs *restrict facts), path, facts)
PLAIN(int, -1, access, access, (const char *path, int mode), path, mode)
PLAIN(int, -1, unlink, unlink, (const char *path), path)
PLAIN(int, -1, fsync, fsync, (int file), file)
PLAIN(int, -1, fdatasync, fdatasync, (int file), file)
PLAIN(int, -1, ftruncate, ftruncate, (int file, off_t size), file, size)
PLAIN(int, -1, ftruncate, ftruncate64, (int file, off64_t size), file, size)
PLAIN(int, -1, fchmod, fchmod, (int file, mode_t mode), file, mode)
PLAIN(int, -1, fchown, fchown, (int file, uid_t user, gid_t group), file, user, group)
PLAIN(off_t, -1, lseek, lseek, (int file, off_t at, int from), file, at, from)
PLAIN(void *, MAP_FAILED, mmap, mmap, (void *at, size_t size, int access, int flags, int file, off_t from), at, size,
      access, flags, file, from)
PLAIN(void *, MAP_FAILED, mmap, mmap64, (void *at, size_t size, int access, int flags, int file, off64_t from), at,
      size, access, flags, file, from)
PLAIN(FILE *, NULL, fopen, fopen, (const char *restrict path, const char *restrict mode), path, mode)

// Built against a C library older than 2.33, these are what `stat` and its like become.
#define OLD_STAT(call, name, path, facts) \
    int name(int version, path, facts) { \
        static int (*_Atomic real)(int, path, facts); \
        if (!real) real = (int (*)(int, path, facts))dlsym(RTLD_NEXT, STRING(name)); \
        if (is_hit(STRING(call)) && action == FAIL) { errno = error; return -1; } \
        return real(version, at, to); \
    }
OLD_STAT(stat, __xstat, const char *at, struct stat *to)
OLD_STAT(stat, __xstat64, const char *at, struct stat64 *to)
OLD_STAT(lstat, __lxstat, const char *at, struct stat *to)
OLD_STAT(lstat, __lxstat64, const char *at, struct stat64 *to)
OLD_STAT(fstat, __fxstat, int at, struct stat *to)
OLD_STAT(fstat, __fxstat64, int at, struct stat64 *to)

// The file is closed in any case, as Linux does it.
int close(int file) {
    if (is_hit("close") && action == FAIL) {
        REAL(close)(file);
        errno = error;
        return -1;
    }
    return REAL(close)(file);
}

#define OPENING(name) \
    int name(const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        if (is_hit("open") && action == FAIL) { errno = error; return -1; } \
        return REAL(name)(path, flags, mode); \
    }
OPENING(open)
OPENING(open64)

int openat(int folder, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (is_hit("open") && action == FAIL) { errno = error; return -1; }
    return REAL(openat)(folder, path, flags, mode);
}

#define CONTROLLING(call, name, type) \
    int name(int file, type what, ...) { \
        va_list rest; \
        va_start(rest, what); \
        void *value = va_arg(rest, void *); \
        va_end(rest); \
        if (is_hit(call) && action == FAIL) { errno = error; return -1; } \
        return REAL(name)(file, what, value); \
    }
CONTROLLING("fcntl", fcntl, int)
CONTROLLING("fcntl", fcntl64, int)
CONTROLLING("ioctl", ioctl, unsigned long)

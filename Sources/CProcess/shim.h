#ifndef FEEDSYNC_CPROCESS_SHIM_H
#define FEEDSYNC_CPROCESS_SHIM_H

#include <sys/prctl.h>

// prctl is variadic, and Swift does not import variadic functions.
// https://man7.org/linux/man-pages/man2/PR_SET_DUMPABLE.2const.html
static inline int cprocess_refuse_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

#endif

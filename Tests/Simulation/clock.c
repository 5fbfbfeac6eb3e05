// Tells PostgreSQL the time of day of a simulation: the microseconds since 1970 in the file SIMULATED_CLOCK, by which now() and
// clock_timestamp() go. Waits go by another clock, and last as long as ever.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *simulated;

__attribute__((constructor)) static void open_clock(void) {
    const char *path = getenv("SIMULATED_CLOCK");
    int file = path ? open(path, O_RDONLY) : -1;
    if (file < 0) return;
    void *memory = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) simulated = memory;
    close(file);
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    if (!simulated) {
        struct timespec time;
        clock_gettime(CLOCK_REALTIME, &time);
        *now = (struct timeval){time.tv_sec, time.tv_nsec / 1000};
        return 0;
    }
    int64_t time = *simulated;
    *now = (struct timeval){time / 1000000, time % 1000000};
    return 0;
}

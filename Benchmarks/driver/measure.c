/* Runs a command and writes its figures into a file: wall, user and system seconds, peak kilobytes, context switches.
 *
 *     measure FILE COMMAND [ARGUMENT...]
 *
 * A process's peak includes that of the one it was forked from, up to its exec: this one is small, Python is not. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec * 1e-6; }

int main(int count, char **arguments) {
    if (count < 3) {
        fputs("usage: measure FILE COMMAND [ARGUMENT...]\n", stderr);
        return 64;
    }
    struct timespec start, end;
    struct rusage usage;
    int status;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pid_t child = vfork();
    if (child == 0) {
        execvp(arguments[2], arguments + 2);
        _exit(127);
    }
    while (wait4(child, &status, 0, &usage) < 0) {
        if (errno == EINTR) continue;
        perror("measure");
        return 71;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double wall = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
    FILE *file = fopen(arguments[1], "w");
    if (!file) {
        fprintf(stderr, "measure: %s: %s\n", arguments[1], strerror(errno));
        return 73;
    }
    fprintf(file, "%.6f %.6f %.6f %ld %ld\n", wall, seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_maxrss,
            usage.ru_nvcsw + usage.ru_nivcsw);
    fclose(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

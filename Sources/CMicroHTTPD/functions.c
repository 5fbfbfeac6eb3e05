#include "CMicroHTTPD.h"
#include "CLibraryLoader.h"
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

struct cmhd_functions cmhd_functions;

#define ENTRY(name) {"MHD_" #name, (void **)&cmhd_functions.name, 0},

// The library ends the process where the system refuses what it cannot do without; by itself, it would abort.
static void panic(void *context, const char *file, unsigned line, const char *reason) {
    (void)context, (void)file, (void)line;
    size_t length = strcspn(reason, "\n.");
    dprintf(STDERR_FILENO, "feedsync: the server cannot go on: %.*s; try: start it again\n", (int)length, reason);
    _exit(EX_IOERR);
}

const char *cmhd_load(void) {
    static const struct library_function functions[] = {CMHD_FUNCTIONS(ENTRY)};
    const char *problem = library_load(LIBRARY_FILE("microhttpd", "12"), functions, sizeof functions / sizeof *functions);
    if (problem == NULL) cmhd_functions.set_panic_func(panic, NULL);
    return problem;
}

#include "CPCRE2.h"
#include "CLibraryLoader.h"

struct cpcre2_functions cpcre2_functions;

#define ENTRY(name, result, arguments) {"pcre2_" #name "_8", (void **)&cpcre2_functions.name, 0},

const char *cpcre2_load(void) {
    static const struct library_function functions[] = {CPCRE2_FUNCTIONS(ENTRY)};
    return library_load(LIBRARY_FILE("pcre2-8", "0"), functions, sizeof functions / sizeof *functions);
}

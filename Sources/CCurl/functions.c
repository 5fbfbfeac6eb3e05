#include "CCurl.h"
#include "CLibraryLoader.h"

struct ccurl_functions ccurl_functions;

#define ENTRY(name) {"curl_" #name, (void **)&ccurl_functions.name, 0},
#define OPTIONAL_ENTRY(name) {"curl_" #name, (void **)&ccurl_functions.name, 1},

const char *ccurl_load(void) {
    static const struct library_function functions[] = {CCURL_FUNCTIONS(ENTRY) CCURL_NEWER_FUNCTIONS(OPTIONAL_ENTRY)};
    return library_load(LIBRARY_FILE("curl", "4"), functions, sizeof functions / sizeof *functions);
}

#include "CCurl.h"
#include "CLibraryLoader.h"

struct ccurl_functions ccurl_functions;

#define ENTRY(name) {"curl_" #name, (void **)&ccurl_functions.name},

const char *ccurl_load(void) {
    static const struct library_function functions[] = {CCURL_FUNCTIONS(ENTRY)};
    return library_load("libcurl.so.4", functions, sizeof functions / sizeof *functions);
}

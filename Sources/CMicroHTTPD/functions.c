#include "CMicroHTTPD.h"
#include "CLibraryLoader.h"

struct cmhd_functions cmhd_functions;

#define ENTRY(name) {"MHD_" #name, (void **)&cmhd_functions.name, 0},

const char *cmhd_load(void) {
    static const struct library_function functions[] = {CMHD_FUNCTIONS(ENTRY)};
    return library_load("libmicrohttpd.so.12", functions, sizeof functions / sizeof *functions);
}

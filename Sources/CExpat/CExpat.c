#include "CExpat.h"
#include "CLibraryLoader.h"

struct cexpat_functions cexpat_functions;

#define ENTRY(name) {"XML_" #name, (void **)&cexpat_functions.name, 0},

const char *cexpat_load(void) {
    static const struct library_function functions[] = {CEXPAT_FUNCTIONS(ENTRY)};
    return library_load(LIBRARY_FILE("expat", "1"), functions, sizeof functions / sizeof *functions);
}

#include "CLibraryLoader.h"
#include <dlfcn.h>

const char *library_load(const char *file, const struct library_function *functions, size_t count) {
    // Lazily: what libcurl stands on has thousands of functions that nobody calls.
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) return dlerror();
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, functions[i].name);
        if (address == NULL && !functions[i].is_optional) return dlerror();
        *functions[i].address = address;
    }
    return NULL;
}

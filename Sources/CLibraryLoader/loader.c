#include "CLibraryLoader.h"
#include <dlfcn.h>
#include <stdio.h>

// Lazily: what libcurl stands on has thousands of functions that nobody calls.
static void *open_library(const char *file) {
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
#ifdef __APPLE__
    // The linker of macOS does not look where Homebrew puts libraries: https://docs.brew.sh/Installation and, for those
    // that it links nowhere,
    // https://docs.brew.sh/How-to-Build-Software-Outside-Homebrew-with-Homebrew-keg-only-Dependencies
    static const char *const folders[] = {
        "/opt/homebrew/lib", "/opt/homebrew/opt/libpq/lib", "/opt/homebrew/opt/openssl@3/lib",
        "/usr/local/lib",    "/usr/local/opt/libpq/lib",    "/usr/local/opt/openssl@3/lib",
    };
    for (size_t i = 0; i < sizeof folders / sizeof *folders && library == NULL; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folders[i], file);
        library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    }
#endif
    return library;
}

const char *library_load(const char *file, const struct library_function *functions, size_t count) {
    void *library = open_library(file);
    if (library == NULL) return dlerror();
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, functions[i].name);
        if (address == NULL && !functions[i].is_optional) return dlerror();
        *functions[i].address = address;
    }
    return NULL;
}

#pragma once
#include <stddef.h>

// A shared library that is opened when it is first needed: a program that is linked with it would open it, and all that
// it stands on, at every start.

// The libraries that are linked into the binary, as `SOURCE/VERSION,...` of Debian's sources; empty where it is not known.
#ifdef FEEDSYNC_LINKED
static inline const char *library_linked(void) { return FEEDSYNC_LINKED; }
#else
static inline const char *library_linked(void) { return ""; }
#endif

/// The file of a library, by its name and the number of its interface.
#ifdef __APPLE__
#define LIBRARY_FILE(name, number) "lib" name "." number ".dylib"
#else
#define LIBRARY_FILE(name, number) "lib" name ".so." number
#endif

/// A function of a library, and the place for its address.
struct library_function {
    const char *name;
    void **address;
    /// Not 0: older versions lack it, and its address stays NULL then.
    int is_optional;
};

/// Opens a library for good and looks up its functions.
///
/// Returns NULL, or the dynamic linker's words for what is missing; no address is to be used then.
const char *library_load(const char *file, const struct library_function *functions, size_t count);

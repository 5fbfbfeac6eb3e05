#pragma once
#include <stddef.h>
#include <stdint.h>

// Only feeds with `replace` need PCRE2. It is opened when one comes, and gets its security fixes with the system's
// updates. Its few functions are declared here, as in pcre2.h of 10.x, whose interface is stable, so that no package is
// needed to build. None may be called before `cpcre2_load` has succeeded.

#define CPCRE2_FUNCTIONS(FUNCTION)                                                                                     \
    FUNCTION(compile, void *, (const uint8_t *, size_t, uint32_t, int *, size_t *, void *))                            \
    FUNCTION(code_free, void, (void *))                                                                                \
    FUNCTION(match_context_create, void *, (void *))                                                                   \
    FUNCTION(match_context_free, void, (void *))                                                                       \
    FUNCTION(set_match_limit, int, (void *, uint32_t))                                                                 \
    FUNCTION(set_depth_limit, int, (void *, uint32_t))                                                                 \
    FUNCTION(set_heap_limit, int, (void *, uint32_t))                                                                  \
    FUNCTION(pattern_info, int, (const void *, uint32_t, void *))                                                      \
    FUNCTION(substitute, int,                                                                                          \
             (const void *, const uint8_t *, size_t, size_t, uint32_t, void *, void *, const uint8_t *, size_t,        \
              uint8_t *, size_t *))                                                                                    \
    FUNCTION(get_error_message, int, (int, uint8_t *, size_t))

#define CPCRE2_MEMBER(name, result, arguments) result(*name) arguments;
extern struct cpcre2_functions { CPCRE2_FUNCTIONS(CPCRE2_MEMBER) } cpcre2_functions;

/// Opens PCRE2; not to be called by two threads at once.
///
/// Returns NULL, or the dynamic linker's words for what is missing.
const char *cpcre2_load(void);

/// A pattern with the limits of a match; NULL where it is wrong, `error` and `offset` say how and where then.
struct cpcre2_pattern {
    void *code;
    void *context;
};

static inline int cpcre2_compile(const uint8_t *text, size_t length, struct cpcre2_pattern *pattern, int *error,
                                 size_t *offset)
{
    // PCRE2_UTF, PCRE2_UCP, PCRE2_NEVER_BACKSLASH_C
    pattern->code = cpcre2_functions.compile(text, length, 0x00080000u | 0x00020000u | 0x00100000u, error, offset, NULL);
    if (pattern->code == NULL) return 0;
    pattern->context = cpcre2_functions.match_context_create(NULL);
    if (pattern->context == NULL) {
        cpcre2_functions.code_free(pattern->code);
        *error = -48; // PCRE2_ERROR_NOMEMORY
        return 0;
    }
    cpcre2_functions.set_match_limit(pattern->context, 20000);
    cpcre2_functions.set_depth_limit(pattern->context, 20000);
    cpcre2_functions.set_heap_limit(pattern->context, 4096); // KiB
    return 1;
}
static inline void cpcre2_free(struct cpcre2_pattern pattern)
{
    cpcre2_functions.match_context_free(pattern.context);
    cpcre2_functions.code_free(pattern.code);
}
static inline uint32_t cpcre2_group_count(struct cpcre2_pattern pattern)
{
    uint32_t count = 0;
    cpcre2_functions.pattern_info(pattern.code, 4, &count); // PCRE2_INFO_CAPTURECOUNT
    return count;
}
/// Replaces every match. Returns the number of matches, or a negative error; `*length` is the room, then the length.
static inline int cpcre2_replace(struct cpcre2_pattern pattern, const uint8_t *text, size_t text_length,
                                 const uint8_t *replacement, size_t replacement_length, uint8_t *result, size_t *length)
{
    // PCRE2_SUBSTITUTE_GLOBAL, PCRE2_SUBSTITUTE_UNSET_EMPTY
    return cpcre2_functions.substitute(pattern.code, text, text_length, 0, 0x00000100u | 0x00000400u, NULL,
                                       pattern.context, replacement, replacement_length, result, length);
}
static inline void cpcre2_message(int error, uint8_t *text, size_t room)
{
    text[0] = 0;
    cpcre2_functions.get_error_message(error, text, room);
}

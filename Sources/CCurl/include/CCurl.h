#pragma once
#include <curl/curl.h>

// libcurl and the thirty libraries that it stands on take some 4 ms to open, most of what `feedsync status` may take in
// all; so they are opened when something is to be fetched. Types and constants are libcurl's own, functions have a `c`
// in front, and none of them may be called before `ccurl_load` has succeeded.

/// Opens libcurl; not to be called by two threads at once.
///
/// Returns NULL, or the dynamic linker's words for what is missing.
const char *ccurl_load(void);

#define CCURL_FUNCTIONS(FUNCTION)                                                                                      \
    FUNCTION(easy_cleanup)                                                                                             \
    FUNCTION(easy_getinfo)                                                                                             \
    FUNCTION(easy_init)                                                                                                \
    FUNCTION(easy_reset)                                                                                               \
    FUNCTION(easy_setopt)                                                                                              \
    FUNCTION(easy_strerror)                                                                                            \
    FUNCTION(free)                                                                                                     \
    FUNCTION(getdate)                                                                                                  \
    FUNCTION(global_init)                                                                                              \
    FUNCTION(multi_add_handle)                                                                                         \
    FUNCTION(multi_cleanup)                                                                                            \
    FUNCTION(multi_info_read)                                                                                          \
    FUNCTION(multi_init)                                                                                               \
    FUNCTION(multi_perform)                                                                                            \
    FUNCTION(multi_poll)                                                                                               \
    FUNCTION(multi_remove_handle)                                                                                      \
    FUNCTION(multi_setopt)                                                                                             \
    FUNCTION(multi_strerror)                                                                                           \
    FUNCTION(multi_wakeup)                                                                                             \
    FUNCTION(slist_append)                                                                                             \
    FUNCTION(slist_free_all)                                                                                           \
    FUNCTION(url)                                                                                                      \
    FUNCTION(url_cleanup)                                                                                              \
    FUNCTION(url_get)                                                                                                  \
    FUNCTION(url_set)                                                                                                  \
    FUNCTION(version)

// Debian 11 has libcurl 7.74: what came later is NULL there. https://curl.se/libcurl/c/curl_url_strerror.html
#define CCURL_NEWER_FUNCTIONS(FUNCTION) FUNCTION(url_strerror)

// As libcurl's header declares them, so that the compiler checks each call against it.
#define CCURL_MEMBER(name) __typeof__(curl_##name) *name;
extern struct ccurl_functions {
    CCURL_FUNCTIONS(CCURL_MEMBER)
    CCURL_NEWER_FUNCTIONS(CCURL_MEMBER)
} ccurl_functions;

static inline CURLcode ccurl_global_init(long flags) { return ccurl_functions.global_init(flags); }
static inline const char *ccurl_version(void) { return ccurl_functions.version(); }
static inline void ccurl_free(void *bytes) { ccurl_functions.free(bytes); }
static inline time_t ccurl_getdate(const char *text) { return ccurl_functions.getdate(text, NULL); }

static inline CURL *ccurl_easy_init(void) { return ccurl_functions.easy_init(); }
static inline void ccurl_easy_cleanup(CURL *easy) { ccurl_functions.easy_cleanup(easy); }
static inline void ccurl_easy_reset(CURL *easy) { ccurl_functions.easy_reset(easy); }
static inline const char *ccurl_easy_strerror(CURLcode code) { return ccurl_functions.easy_strerror(code); }

static inline struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *line) {
    return ccurl_functions.slist_append(list, line);
}

static inline void ccurl_slist_free_all(struct curl_slist *list) { ccurl_functions.slist_free_all(list); }

static inline CURLM *ccurl_multi_init(void) { return ccurl_functions.multi_init(); }
static inline void ccurl_multi_cleanup(CURLM *multi) { ccurl_functions.multi_cleanup(multi); }
static inline const char *ccurl_multi_strerror(CURLMcode code) { return ccurl_functions.multi_strerror(code); }
static inline CURLMcode ccurl_multi_wakeup(CURLM *multi) { return ccurl_functions.multi_wakeup(multi); }

static inline CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *easy) {
    return ccurl_functions.multi_add_handle(multi, easy);
}

static inline CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *easy) {
    return ccurl_functions.multi_remove_handle(multi, easy);
}

static inline CURLMcode ccurl_multi_perform(CURLM *multi, int *running) {
    return ccurl_functions.multi_perform(multi, running);
}

/// Waits for the transfers, a wake-up, or so many milliseconds.
static inline CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds) {
    return ccurl_functions.multi_poll(multi, NULL, 0, milliseconds, NULL);
}

static inline CURLMsg *ccurl_multi_info_read(CURLM *multi, int *left) {
    return ccurl_functions.multi_info_read(multi, left);
}

static inline CURLU *ccurl_url(void) { return ccurl_functions.url(); }
static inline void ccurl_url_cleanup(CURLU *url) { ccurl_functions.url_cleanup(url); }
/// NULL where libcurl is older than 7.80.
static inline const char *ccurl_url_strerror(CURLUcode code) {
    return ccurl_functions.url_strerror == NULL ? NULL : ccurl_functions.url_strerror(code);
}

static inline CURLUcode ccurl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned flags) {
    return ccurl_functions.url_set(url, part, text, flags);
}

static inline CURLUcode ccurl_url_get(const CURLU *url, CURLUPart part, char **text, unsigned flags) {
    return ccurl_functions.url_get((CURLU *)url, part, text, flags);
}

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, and Swift cannot call a variadic C
// function. One wrapper for each type of argument, because `long`, `curl_off_t` and pointers travel differently.

static inline CURLcode ccurl_easy_set_long(CURL *easy, CURLoption option, long value) {
    return ccurl_functions.easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return ccurl_functions.easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_set_string(CURL *easy, CURLoption option, const char *value) {
    return ccurl_functions.easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
    return ccurl_functions.easy_setopt(easy, option, value);
}

/// No other protocol than http and https; libcurl before 7.85 takes them as bits.
static inline CURLcode ccurl_easy_set_web_protocols(CURL *easy) {
    CURLcode code = ccurl_functions.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    if (code != CURLE_UNKNOWN_OPTION) return code;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return ccurl_functions.easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#pragma GCC diagnostic pop
}

/// Ends without waiting for a name that is being resolved; libcurl before 7.87 waits.
static inline CURLcode ccurl_easy_set_quick_exit(CURL *easy) {
    CURLcode code = ccurl_functions.easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    return code == CURLE_UNKNOWN_OPTION ? CURLE_OK : code;
}

// Swift does not import macros with casts.
static const long ccurl_auth_digest = (long)CURLAUTH_DIGEST;
static const long ccurl_auth_negotiate = (long)CURLAUTH_NEGOTIATE;

typedef size_t (*ccurl_receive_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_easy_set_receiver(CURL *easy, CURLoption option, ccurl_receive_callback callback) {
    return ccurl_functions.easy_setopt(easy, option, callback);
}

typedef curl_socket_t (*ccurl_open_socket_callback)(void *context, curlsocktype purpose, struct curl_sockaddr *address);

static inline CURLcode ccurl_easy_set_open_socket(CURL *easy, ccurl_open_socket_callback callback, void *context) {
    CURLcode code = ccurl_functions.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
    return code == CURLE_OK ? ccurl_functions.easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context) : code;
}

typedef int (*ccurl_debug_callback)(CURL *easy, curl_infotype type, char *bytes, size_t count, void *context);

/// Has libcurl tell what it sends and receives.
static inline CURLcode ccurl_easy_set_debug(CURL *easy, ccurl_debug_callback callback, void *context) {
    CURLcode code = ccurl_functions.easy_setopt(easy, CURLOPT_DEBUGFUNCTION, callback);
    if (code == CURLE_OK) code = ccurl_functions.easy_setopt(easy, CURLOPT_DEBUGDATA, context);
    return code == CURLE_OK ? ccurl_functions.easy_setopt(easy, CURLOPT_VERBOSE, 1L) : code;
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return ccurl_functions.multi_setopt(multi, option, value);
}

static inline CURLcode ccurl_easy_get_long(CURL *easy, CURLINFO info, long *value) {
    return ccurl_functions.easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return ccurl_functions.easy_getinfo(easy, info, value);
}

/// The text lives as long as the handle's transfer.
static inline CURLcode ccurl_easy_get_string(CURL *easy, CURLINFO info, char **text) {
    return ccurl_functions.easy_getinfo(easy, info, text);
}

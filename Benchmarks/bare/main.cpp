// What a sync of many feeds is measured against: the same conditional requests in one curl_multi loop that looks at the
// status and stores nothing.
//
//     bare FILE [WINDOW]      with a line "URL<tab>ETag" a request; no two at a time go to one host
//
// Without a window all requests are handed to libcurl at once, which looks at each that waits whenever one ends; with
// one, so many of them.
#include <curl/curl.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

[[noreturn]] static void fail(const std::string &what, const char *why) {
    std::fprintf(stderr, "bare: %s: %s\n", what.c_str(), why);
    std::exit(1);
}

static size_t drop(char *, size_t size, size_t count, void *) { return size * count; }

int main(int count, char **arguments) {
    if (count != 2 && count != 3) fail("usage", "bare FILE [WINDOW]");
    std::ifstream lines(arguments[1]);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *all = curl_multi_init();
    curl_multi_setopt(all, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
    const long window = count == 3 ? std::atol(arguments[2]) : 1'000'000;
    long open = 0;
    auto add = [&] {
        std::string url, etag;
        while (open < window && std::getline(lines, url, '\t') && std::getline(lines, etag)) {
            CURL *one = curl_easy_init();
            curl_slist *headers = curl_slist_append(nullptr, ("If-None-Match: " + etag).c_str());
            curl_easy_setopt(one, CURLOPT_URL, url.c_str());
            curl_easy_setopt(one, CURLOPT_HTTPHEADER, headers);
            curl_easy_setopt(one, CURLOPT_PRIVATE, headers);
            curl_easy_setopt(one, CURLOPT_WRITEFUNCTION, drop);
            curl_multi_add_handle(all, one);
            open++;
        }
    };
    add();
    if (open == 0) fail(arguments[1], "no requests in it");
    while (open > 0) {
        int running, left;
        if (CURLMcode code = curl_multi_perform(all, &running)) fail("curl_multi_perform", curl_multi_strerror(code));
        while (CURLMsg *message = curl_multi_info_read(all, &left)) {
            CURL *one = message->easy_handle;
            const CURLcode code = message->data.result;
            long status = 0;
            char *address = nullptr, *headers = nullptr;
            curl_easy_getinfo(one, CURLINFO_RESPONSE_CODE, &status);
            curl_easy_getinfo(one, CURLINFO_EFFECTIVE_URL, &address);
            if (code != CURLE_OK) fail(address, curl_easy_strerror(code));
            if (status != 304) fail(address, ("HTTP status " + std::to_string(status)).c_str());
            curl_easy_getinfo(one, CURLINFO_PRIVATE, &headers);
            curl_multi_remove_handle(all, one);
            curl_easy_cleanup(one);
            curl_slist_free_all(reinterpret_cast<curl_slist *>(headers));
            open--;
        }
        add();
        if (open > 0) curl_multi_poll(all, nullptr, 0, 1000, nullptr);
    }
    curl_multi_cleanup(all);
}

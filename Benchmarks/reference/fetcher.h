// One connection to the upstream, and the page it brought last.
#pragma once
#include <curl/curl.h>
#include <simdjson.h>
#include <strings.h>

#include <string>

#include "store.h"

struct Page {
    int number = 0;
    long status = 0;
    std::string body;  // with room for simdjson to read beyond its end
    std::string etag;
};

class Fetcher {
  public:
    explicit Fetcher(std::string url) : url(std::move(url)), handle(curl_easy_init()) {
        if (!handle) fail("libcurl", "cannot be initialised");
        curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
        curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_header);
        curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, 512L * 1024);
    }
    ~Fetcher() { curl_easy_cleanup(handle); }
    Fetcher(const Fetcher &) = delete;
    Fetcher &operator=(const Fetcher &) = delete;

    // `etag` makes the request a conditional one, unless it is empty.
    void fetch(int number, const std::string &etag, Page &page) {
        page.number = number;
        page.body.clear();
        page.etag.clear();
        curl_slist *headers = etag.empty() ? nullptr : curl_slist_append(nullptr, ("If-None-Match: " + etag).c_str());
        curl_easy_setopt(handle, CURLOPT_URL, (url + "?page=" + std::to_string(number)).c_str());
        curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(handle, CURLOPT_WRITEDATA, &page);
        curl_easy_setopt(handle, CURLOPT_HEADERDATA, &page);
        const CURLcode code = curl_easy_perform(handle);
        curl_slist_free_all(headers);
        if (code != CURLE_OK) fail(url, curl_easy_strerror(code));
        curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &page.status);
        if (page.status != 200 && page.status != 304) fail(url, ("HTTP status " + std::to_string(page.status)).c_str());
        page.body.reserve(page.body.size() + simdjson::SIMDJSON_PADDING);
    }

  private:
    std::string url;
    CURL *handle;

    static size_t take_body(char *bytes, size_t size, size_t count, void *page) {
        static_cast<Page *>(page)->body.append(bytes, size * count);
        return size * count;
    }
    static size_t take_header(char *bytes, size_t size, size_t count, void *page) {
        const std::string_view line(bytes, size * count);
        constexpr std::string_view name = "etag:";
        if (line.size() > name.size() && strncasecmp(line.data(), name.data(), name.size()) == 0) {
            const size_t start = line.find_first_not_of(' ', name.size()), end = line.find_last_not_of("\r\n ");
            if (start != line.npos && end != line.npos && end >= start)
                static_cast<Page *>(page)->etag = line.substr(start, end + 1 - start);
        }
        return size * count;
    }
};

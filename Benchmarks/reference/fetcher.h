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
    explicit Fetcher(std::string url) : url(std::move(url)), handle(curl_easy_init()), transfers(curl_multi_init()) {
        if (!handle || !transfers) fail("libcurl", "cannot be initialised");
        curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
        curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_header);
        curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, 512L * 1024);
    }
    ~Fetcher() {
        curl_easy_cleanup(handle);
        curl_multi_cleanup(transfers);
    }
    Fetcher(const Fetcher &) = delete;
    Fetcher &operator=(const Fetcher &) = delete;

    void fetch(int number, const std::string &etag, Page &page) {
        begin(number, etag, page);
        finish(page);
    }

    // Sends the request, as far as the socket takes it. `etag` makes it a conditional one, unless it is empty.
    void begin(int number, const std::string &etag, Page &page) {
        page.number = number;
        page.body.clear();
        page.etag.clear();
        headers = etag.empty() ? nullptr : curl_slist_append(nullptr, ("If-None-Match: " + etag).c_str());
        curl_easy_setopt(handle, CURLOPT_URL, (url + "?page=" + std::to_string(number)).c_str());
        curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(handle, CURLOPT_WRITEDATA, &page);
        curl_easy_setopt(handle, CURLOPT_HEADERDATA, &page);
        curl_multi_add_handle(transfers, handle);
        perform();
    }

    // Waits for the page whose request was sent.
    void finish(Page &page) {
        while (perform() > 0) curl_multi_poll(transfers, nullptr, 0, 1000, nullptr);
        int left = 0;
        const CURLMsg *message = curl_multi_info_read(transfers, &left);
        if (!message || message->msg != CURLMSG_DONE) fail(url, "the transfer has no end");
        const CURLcode code = message->data.result;
        curl_multi_remove_handle(transfers, handle);
        curl_slist_free_all(headers);
        if (code != CURLE_OK) fail(url, curl_easy_strerror(code));
        curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &page.status);
        if (page.status != 200 && page.status != 304) fail(url, ("HTTP status " + std::to_string(page.status)).c_str());
        page.body.reserve(page.body.size() + simdjson::SIMDJSON_PADDING);
    }

  private:
    std::string url;
    CURL *handle;
    CURLM *transfers;
    curl_slist *headers = nullptr;

    int perform() {
        int running = 0;
        const CURLMcode code = curl_multi_perform(transfers, &running);
        if (code != CURLM_OK) fail(url, curl_multi_strerror(code));
        return running;
    }
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

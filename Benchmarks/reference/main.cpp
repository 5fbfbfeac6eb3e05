// What feedsync is measured against: libcurl, simdjson and SQLite in a straight loop, with nothing that is not needed to
// have the rows. It knows the number of pages, it believes whatever comes, and it remembers nothing but ETags.
//
//     reference repositories|anchors URL PAGES STORE [--ahead] [--changed-only] [--conditional] [--postgresql]
//
// --ahead         the next page is asked for before this one is stored, on the same thread
// --changed-only  the upsert passes over rows that are as they were
// --conditional   ETags are stored, and a page is asked for with its own
// --postgresql    STORE is the URI of a database in PostgreSQL; the other options but --ahead have no meaning
#include <cstring>
#include <utility>

#include "fetcher.h"
#include "items.h"
#include "postgresql_store.h"
#include "store.h"

struct Options {
    std::string url, store;
    int pages = 0;
    bool ahead = false, changed_only = false, conditional = false, postgresql = false;
};

template <typename Items, typename Store>
void mirror_in_turn(const Options &options, Store &store) {
    Fetcher fetcher(options.url);
    json::parser parser;
    Page page;
    for (int number = 1; number <= options.pages; number++) {
        fetcher.fetch(number, options.conditional ? store.etag(number) : "", page);
        if (page.status == 200) store_page<Items>(parser, page, store, options.conditional);
    }
}

template <typename Items, typename Store>
void mirror_ahead(const Options &options, Store &store) {
    Fetcher fetcher(options.url);
    json::parser parser;
    Page page, next;
    const auto begin = [&](int number) { fetcher.begin(number, options.conditional ? store.etag(number) : "", next); };
    if (options.pages > 0) begin(1);
    for (int number = 1; number <= options.pages; number++) {
        fetcher.finish(next);
        std::swap(page, next);
        if (number < options.pages) begin(number + 1);
        if (page.status == 200) store_page<Items>(parser, page, store, options.conditional);
    }
}

template <typename Items, typename Store>
void mirror_in(const Options &options) {
    Store store(options.store, Items::columns(), options.changed_only);
    options.ahead ? mirror_ahead<Items>(options, store) : mirror_in_turn<Items>(options, store);
}

template <typename Items>
void mirror(const Options &options) {
    options.postgresql ? mirror_in<Items, PostgreSQLStore>(options) : mirror_in<Items, Store>(options);
}

int main(int count, char **arguments) {
    if (count < 5) fail("usage", "reference repositories|anchors URL PAGES STORE [--ahead] [--changed-only] [--conditional] [--postgresql]");
    Options options;
    options.url = arguments[2];
    options.pages = std::atoi(arguments[3]);
    options.store = arguments[4];
    for (int index = 5; index < count; index++) {
        const std::string_view option = arguments[index];
        if (option == "--ahead") options.ahead = true;
        else if (option == "--changed-only") options.changed_only = true;
        else if (option == "--conditional") options.conditional = true;
        else if (option == "--postgresql") options.postgresql = true;
        else fail(arguments[index], "no such option");
    }
    curl_global_init(CURL_GLOBAL_DEFAULT);
    try {
        if (std::strcmp(arguments[1], "repositories") == 0) mirror<Repositories>(options);
        else if (std::strcmp(arguments[1], "anchors") == 0) mirror<Anchors>(options);
        else fail(arguments[1], "no such items");
    } catch (const simdjson::simdjson_error &error) {
        fail(options.url, error.what());
    }
}

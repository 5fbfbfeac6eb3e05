// What feedsync is measured against: libcurl, simdjson and SQLite in a straight loop, with nothing that is not needed to
// have the rows. It knows the number of pages, it believes whatever comes, and it remembers nothing but ETags.
//
//     reference repositories|anchors URL PAGES STORE [--overlap] [--changed-only] [--conditional] [--postgresql]
//
// --overlap       a second thread fetches while the first one stores
// --changed-only  the upsert passes over rows that are as they were
// --conditional   ETags are stored, and a page is asked for with its own
// --postgresql    STORE is the URI of a database in PostgreSQL; the other options but --overlap have no meaning
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include "fetcher.h"
#include "items.h"
#include "postgresql_store.h"
#include "store.h"

struct Options {
    std::string url, store;
    int pages = 0;
    bool overlap = false, changed_only = false, conditional = false, postgresql = false;
};

// Pages on their way from the thread that fetches to the one that stores. Their buffers are used again.
class Belt {
  public:
    explicit Belt(size_t pages) : pages(pages) {
        for (Page &page : this->pages) empty.push_back(&page);
    }
    Page *take_empty() { return take(empty); }
    Page *take_full() { return take(full); }
    void give_empty(Page *page) { give(empty, page); }
    void give_full(Page *page) { give(full, page); }

  private:
    std::vector<Page> pages;
    std::deque<Page *> empty, full;
    std::mutex mutex;
    std::condition_variable changed;

    Page *take(std::deque<Page *> &from) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return !from.empty(); });
        Page *page = from.front();
        from.pop_front();
        return page;
    }
    void give(std::deque<Page *> &to, Page *page) {
        std::lock_guard lock(mutex);
        to.push_back(page);
        changed.notify_all();
    }
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
void mirror_overlapped(const Options &options, Store &store) {
    // ETags are read before the threads part: the store's connection belongs to one of them.
    std::vector<std::string> etags(static_cast<size_t>(options.pages) + 1);
    if (options.conditional)
        for (int number = 1; number <= options.pages; number++) etags[static_cast<size_t>(number)] = store.etag(number);
    Belt belt(4);
    std::thread fetching([&] {
        Fetcher fetcher(options.url);
        for (int number = 1; number <= options.pages; number++) {
            Page *page = belt.take_empty();
            fetcher.fetch(number, etags[static_cast<size_t>(number)], *page);
            belt.give_full(page);
        }
    });
    json::parser parser;
    for (int number = 1; number <= options.pages; number++) {
        Page *page = belt.take_full();
        if (page->status == 200) store_page<Items>(parser, *page, store, options.conditional);
        belt.give_empty(page);
    }
    fetching.join();
}

template <typename Items, typename Store>
void mirror_in(const Options &options) {
    Store store(options.store, Items::columns(), options.changed_only);
    options.overlap ? mirror_overlapped<Items>(options, store) : mirror_in_turn<Items>(options, store);
}

template <typename Items>
void mirror(const Options &options) {
    options.postgresql ? mirror_in<Items, PostgreSQLStore>(options) : mirror_in<Items, Store>(options);
}

int main(int count, char **arguments) {
    if (count < 5) fail("usage", "reference repositories|anchors URL PAGES STORE [--overlap] [--changed-only] [--conditional] [--postgresql]");
    Options options;
    options.url = arguments[2];
    options.pages = std::atoi(arguments[3]);
    options.store = arguments[4];
    for (int index = 5; index < count; index++) {
        const std::string_view option = arguments[index];
        if (option == "--overlap") options.overlap = true;
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

// What the reference keeps of an item, read by simdjson on demand in the order in which the members come.
#pragma once
#include <simdjson.h>

#include <vector>

#include "fetcher.h"
#include "store.h"

namespace json = simdjson::ondemand;

template <typename Store>
void bind_integer(Store &store, int column, simdjson::simdjson_result<json::value> value) {
    store.bind(column, static_cast<sqlite3_int64>(value.get_int64().value()));
}

template <typename Store>
void bind_text(Store &store, int column, simdjson::simdjson_result<json::value> found) {
    json::value value = found.value();
    if (value.is_null()) store.bind_null(column);
    else store.bind(column, value.get_string().value());
}

struct Repositories {
    static std::vector<Column> columns() {
        return {{"id", true},          {"name", false},       {"full_name", false}, {"owner_login", false},
                {"avatar_url", false}, {"html_url", false},   {"description", false}, {"created_at", false},
                {"updated_at", false}, {"stars", true},       {"language", false},  {"forks", true}};
    }
    template <typename Store>
    static void bind(Store &store, json::object item) {
        bind_integer(store, 1, item["id"]);
        bind_text(store, 2, item["name"]);
        bind_text(store, 3, item["full_name"]);
        json::object owner = item["owner"].get_object();
        bind_text(store, 4, owner["login"]);
        bind_text(store, 5, owner["avatar_url"]);
        bind_text(store, 6, item["html_url"]);
        bind_text(store, 7, item["description"]);
        bind_text(store, 8, item["created_at"]);
        bind_text(store, 9, item["updated_at"]);
        bind_integer(store, 10, item["stargazers_count"]);
        bind_text(store, 11, item["language"]);
        bind_integer(store, 12, item["forks_count"]);
    }
};

struct Anchors {
    static std::vector<Column> columns() {
        return {{"roomId", true}, {"name", false}, {"pic51", false}, {"pic74", false},
                {"live", true},   {"push", true},  {"focus", true}};
    }
    template <typename Store>
    static void bind(Store &store, json::object item) {
        bind_integer(store, 1, item["roomId"]);
        bind_text(store, 2, item["name"]);
        bind_text(store, 3, item["pic51"]);
        bind_text(store, 4, item["pic74"]);
        bind_integer(store, 5, item["live"]);
        bind_integer(store, 6, item["push"]);
        bind_integer(store, 7, item["focus"]);
    }
};

// Stores a page in one transaction, with its ETag if that is to be asked with again.
template <typename Items, typename Store>
void store_page(json::parser &parser, Page &page, Store &store, bool keep_etag) {
    store.begin();
    json::document document = parser.iterate(page.body.data(), page.body.size(), page.body.capacity());
    for (auto item : document["items"].get_array()) {
        Items::bind(store, item.get_object());
        store.insert();
    }
    if (keep_etag) store.set_etag(page.number, page.etag);
    store.commit();
}

#include <simdjson.h>

#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "count.h"
#include "locate.h"
#include "walk.h"

using simdjson::internal::dom_parser_implementation;

struct json_decoder {
    std::unique_ptr<dom_parser_implementation> scanner;
    Arena arena;
    std::vector<json_slot> body_slots;
    Growing<json_slot> item_slots;
    Growing<json_item> items;
    std::vector<uint16_t> item_kinds;

    json_page decode(const json_plan &plan, const char *body, size_t length) {
        const size_t skipped = length >= 3 && memcmp(body, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; // RFC 8259, section 8.1
        body += skipped;
        length -= skipped;
        json_page page = {};
        items.clear();
        item_slots.clear();
        arena.clear();
        body_slots.assign(plan.body_slot_count, json_slot{});
        if (length == 0) return page.error = JSON_EMPTY, page;
        if (length >= plan.most_memory) return page.error = JSON_TOO_LARGE, page;
        // In most bodies there cannot be too many.
        const size_t most_tokens = (plan.most_memory - length) / sizeof(uint32_t);
        if (length > most_tokens && token_count(body, length) > most_tokens)
            return page.error = JSON_TOO_MANY_TOKENS, page;
        if (!reserve(length)) return page.error = JSON_OUT_OF_MEMORY, page;

        const auto scan = scanner->stage1(reinterpret_cast<const uint8_t *>(body), length, simdjson::stage1_mode::regular);
        switch (scan) {
        case simdjson::SUCCESS: break;
        case simdjson::EMPTY: page.error = JSON_EMPTY; return page;
        case simdjson::UTF8_ERROR:
            page.error = JSON_INVALID_UTF8;
            page.offset = skipped + first_invalid_utf8(body, length);
            return page;
        case simdjson::UNESCAPED_CHARS:
            page.error = JSON_CONTROL_CHARACTER;
            page.offset = skipped + first_control_character(body, length);
            return page;
        case simdjson::UNCLOSED_STRING:
            page.error = JSON_TRUNCATED;
            page.offset = skipped + length;
            return page;
        case simdjson::MEMALLOC: page.error = JSON_OUT_OF_MEMORY; return page;
        default: page.error = JSON_NOT_JSON; return page;
        }

        const Tokens tokens(body, scanner->structural_indexes.get(), scanner->n_structural_indexes);
        Walk walk(plan, tokens, arena, body_slots.data(), item_slots, items);
        walk.page();
        page.error = walk.error;
        page.offset = skipped + walk.offset;
        page.items_kind = walk.items_kind;
        page.body_slots = body_slots.data();
        page.items = items.data();
        page.item_slots = item_slots.data();
        page.item_count = items.size();
        page.slots_per_item = plan.item_slot_count;
        page.has_strangers = walk.has_strangers;
        page.item_kinds = kinds(plan.item_slot_count);
        return page;
    }

    const uint16_t *kinds(size_t slots_per_item) {
        item_kinds.assign(slots_per_item, 0);
        const json_slot *slot = item_slots.data();
        for (const json_item &item : items)
            for (size_t i = 0; i < slots_per_item; i++, slot++)
                if (item.kind == JSON_OBJECT) item_kinds[i] |= uint16_t(1 << slot->kind);
        return item_kinds.data();
    }

    size_t memory() const {
        return (scanner ? scanner->capacity() * sizeof(uint32_t) : 0) + arena.size()
            + item_slots.capacity() * sizeof(json_slot) + items.capacity() * sizeof(json_item);
    }

    /// Frees the places of a large body's tokens, which nobody needs once it is decoded.
    void shrink() {
        if (scanner && scanner->capacity() > size_t(4) << 20) scanner.reset();
    }

    bool reserve(size_t length) {
        if (!scanner) {
            auto made = simdjson::get_active_implementation()->create_dom_parser_implementation(length, JSON_MAXIMUM_DEPTH, scanner);
            if (made != simdjson::SUCCESS) return false;
        } else if (scanner->capacity() < length && scanner->set_capacity(length) != simdjson::SUCCESS) {
            scanner.reset();
            return false;
        }
        return true;
    }
};

extern "C" {

size_t json_decoder_memory(const json_decoder *decoder) { return decoder->memory(); }

json_decoder *json_decoder_create(void) { return new (std::nothrow) json_decoder(); }

void json_decoder_destroy(json_decoder *decoder) { delete decoder; }

json_page json_decode(json_decoder *decoder, const json_plan *plan, const char *body, size_t length) {
    json_page page = {};
    try {
        page = decoder->decode(*plan, body, length);
    } catch (const std::bad_alloc &) {
        page.error = JSON_OUT_OF_MEMORY;
    }
    decoder->shrink();
    return page;
}

} // extern "C"

#pragma once

#include <charconv>
#include <cstring>
#include <vector>

#include "plan.h"

/// simdjson's first stage gives the place of every brace, bracket, colon and comma outside strings, and of the first
/// byte of every string and scalar. This walks them once, checks the grammar, and fills the slots the plan asks for.
struct Walk {
    const json_plan &plan;
    const char *const body;
    const uint32_t *const marks;
    const uint32_t mark_count;
    char *unescaped;             // where the next unescaped text goes; large enough for all of them
    std::vector<json_slot> &item_slots;
    std::vector<json_item> &items;
    json_slot *slots;            // those of the item or the body being walked

    uint32_t mark = 0;
    uint32_t depth = 0;
    uint32_t next_backslash = 0; // the first one at or behind the string looked at last
    std::vector<json_node> taken = {}; // filters that have found their element in this item or body
    json_error error = JSON_OK;
    size_t offset = 0;
    json_kind items_kind = JSON_MISSING;
    size_t items_offset = 0;

    uint32_t length() const { return marks[mark_count]; }
    uint32_t here() const { return marks[mark]; }
    bool at_end() const { return mark >= mark_count; }
    char byte() const { return body[here()]; }
    bool is_at(char c) const { return !at_end() && byte() == c; }

    bool fail(json_error why, size_t where) {
        error = why;
        offset = where;
        return false;
    }
    bool unexpected() { return at_end() ? fail(JSON_TRUNCATED, length()) : fail(JSON_NOT_JSON, here()); }

    static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

    /// The end of the token before the mark `next`: between the two there is only white space.
    uint32_t token_end(uint32_t next) const {
        uint32_t end = marks[next];
        while (is_space(body[end - 1])) end--;
        return end;
    }

    bool has_backslash(uint32_t begin, uint32_t end) {
        if (next_backslash < begin) {
            const void *found = memchr(body + begin, '\\', length() - begin);
            next_backslash = found ? uint32_t(static_cast<const char *>(found) - body) : length();
        }
        return next_backslash < end;
    }

    // ---- Text

    static int hex(const char *digits) {
        int value = 0;
        for (int i = 0; i < 4; i++) {
            char c = digits[i];
            int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
            if (digit < 0) return -1;
            value = value * 16 + digit;
        }
        return value;
    }

    static char *put_utf8(char *out, uint32_t code) {
        if (code < 0x80) {
            *out++ = char(code);
        } else if (code < 0x800) {
            *out++ = char(0xC0 | code >> 6);
            *out++ = char(0x80 | (code & 0x3F));
        } else if (code < 0x10000) {
            *out++ = char(0xE0 | code >> 12);
            *out++ = char(0x80 | (code >> 6 & 0x3F));
            *out++ = char(0x80 | (code & 0x3F));
        } else {
            *out++ = char(0xF0 | code >> 18);
            *out++ = char(0x80 | (code >> 12 & 0x3F));
            *out++ = char(0x80 | (code >> 6 & 0x3F));
            *out++ = char(0x80 | (code & 0x3F));
        }
        return out;
    }

    /// Unescapes [from, to). A surrogate without its partner becomes U+FFFD, so one bad escape costs one character.
    /// The text never grows: the shortest escape of a character is longer than its UTF-8.
    bool unescape(uint32_t from, uint32_t to, const char **bytes, uint32_t *count) {
        char *out = unescaped;
        const char *in = body + from;
        const char *const end = body + to;
        while (in < end) {
            if (*in != '\\') {
                *out++ = *in++;
                continue;
            }
            const char *const escape = in++;
            if (in >= end) return fail(JSON_INVALID_ESCAPE, escape - body);
            switch (*in++) {
            case '"': *out++ = '"'; break;
            case '\\': *out++ = '\\'; break;
            case '/': *out++ = '/'; break;
            case 'b': *out++ = '\b'; break;
            case 'f': *out++ = '\f'; break;
            case 'n': *out++ = '\n'; break;
            case 'r': *out++ = '\r'; break;
            case 't': *out++ = '\t'; break;
            case 'u': {
                int unit = end - in < 4 ? -1 : hex(in);
                if (unit < 0) return fail(JSON_INVALID_ESCAPE, escape - body);
                in += 4;
                uint32_t code = uint32_t(unit);
                if (code >= 0xD800 && code < 0xDC00 && end - in >= 6 && in[0] == '\\' && in[1] == 'u') {
                    int low = hex(in + 2);
                    if (low >= 0xDC00 && low < 0xE000) {
                        code = 0x10000 + ((code - 0xD800) << 10) + (uint32_t(low) - 0xDC00);
                        in += 6;
                    }
                }
                if (code >= 0xD800 && code < 0xE000) code = 0xFFFD;
                out = put_utf8(out, code);
                break;
            }
            default: return fail(JSON_INVALID_ESCAPE, escape - body);
            }
        }
        *bytes = unescaped;
        *count = uint32_t(out - unescaped);
        unescaped = out;
        return true;
    }

    /// The text of the string token at `mark`, which it passes.
    bool text(const char **bytes, uint32_t *count) {
        uint32_t begin = here() + 1, end = token_end(mark + 1) - 1;
        // The first stage refuses an unclosed string, so the last byte of the token is its closing quote, unless
        // other bytes follow the quote without a separator.
        if (end < begin || body[end] != '"') return fail(JSON_NOT_JSON, begin - 1);
        mark++;
        if (has_backslash(begin, end)) return unescape(begin, end, bytes, count);
        *bytes = body + begin;
        *count = end - begin;
        return true;
    }

    // ---- Scalars

    bool literal(json_slot &slot, json_kind kind, const char *word, size_t count) {
        uint32_t begin = here(), end = token_end(mark + 1);
        if (end - begin != count || memcmp(body + begin, word, count) != 0) return wrong_scalar(JSON_NOT_JSON, begin, end);
        slot.kind = kind;
        mark++;
        return true;
    }

    /// A scalar that is the last token of the body and not whole was cut off.
    bool wrong_scalar(json_error why, uint32_t begin, uint32_t end) {
        bool is_prefix = end == length() && depth > 0;
        return is_prefix ? fail(JSON_TRUNCATED, end) : fail(why, begin);
    }

    static bool is_digit(char c) { return c >= '0' && c <= '9'; }

    bool number(json_slot &slot) {
        const uint32_t begin = here(), end = token_end(mark + 1);
        const char *p = body + begin, *const stop = body + end;
        const bool negative = *p == '-';
        if (negative) p++;
        const char *digits = p;
        while (p < stop && is_digit(*p)) p++;
        const size_t digit_count = size_t(p - digits);
        if (digit_count == 0 || (digit_count > 1 && *digits == '0')) return wrong_scalar(JSON_INVALID_NUMBER, begin, end);
        if (p == stop) {
            auto parsed = std::from_chars(body + begin, stop, slot.integer);
            slot.kind = parsed.ec == std::errc() ? JSON_INTEGER : JSON_NUMBER;
            mark++;
            return true;
        }
        if (*p == '.') {
            const char *fraction = ++p;
            while (p < stop && is_digit(*p)) p++;
            if (p == fraction) return wrong_scalar(JSON_INVALID_NUMBER, begin, end);
        }
        if (p < stop && (*p == 'e' || *p == 'E')) {
            p++;
            if (p < stop && (*p == '+' || *p == '-')) p++;
            const char *exponent = p;
            while (p < stop && is_digit(*p)) p++;
            if (p == exponent) return wrong_scalar(JSON_INVALID_NUMBER, begin, end);
        }
        if (p != stop) return wrong_scalar(JSON_INVALID_NUMBER, begin, end);
        auto parsed = std::from_chars(body + begin, stop, slot.real);
        slot.kind = parsed.ec == std::errc() ? JSON_REAL : JSON_NUMBER;
        mark++;
        return true;
    }

    // ---- Values

    bool enter() {
        if (++depth > JSON_MAXIMUM_DEPTH) return fail(JSON_TOO_DEEP, here());
        mark++;
        return true;
    }

    bool leave() {
        depth--;
        mark++;
        return true;
    }

    /// Walks the value at `mark` into `slot`; `node` is where the plan goes on inside it, if it does.
    bool value(const json_plan_node *node, json_slot &slot) {
        if (at_end()) return unexpected();
        const uint32_t begin = here();
        bool is_valid;
        switch (body[begin]) {
        case '{':
            slot.kind = JSON_OBJECT;
            is_valid = object(node && !node->members.empty() ? node : nullptr);
            break;
        case '[':
            slot.kind = JSON_ARRAY;
            is_valid = array(node && !node->elements.empty() ? node : nullptr);
            break;
        case '"': {
            const char *bytes = nullptr;
            uint32_t count = 0;
            is_valid = text(&bytes, &count);
            slot.kind = JSON_TEXT;
            slot.bytes = bytes;
            slot.length = count;
            break;
        }
        case 't': is_valid = literal(slot, JSON_TRUE, "true", 4); break;
        case 'f': is_valid = literal(slot, JSON_FALSE, "false", 5); break;
        case 'n': is_valid = literal(slot, JSON_NULL, "null", 4); break;
        case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
            is_valid = number(slot);
            break;
        default: return unexpected();
        }
        if (!is_valid) return false;
        slot.raw = body + begin;
        slot.raw_length = token_end(mark) - begin;
        return true;
    }

    /// Walks the value of a member or element into its slot, or past it.
    bool step(const json_plan_node *node) {
        json_slot unwanted;
        if (!node) return value(nullptr, unwanted);
        if (node->is_items) return items_at(*node);
        return value(node, node->slot == json_plan_node::none ? unwanted : slots[node->slot]);
    }

    bool object(const json_plan_node *node) {
        if (!enter()) return false;
        if (is_at('}')) return leave();
        for (;;) {
            if (!is_at('"')) return unexpected();
            const char *name;
            uint32_t count;
            if (!text(&name, &count)) return false;
            if (!is_at(':')) return unexpected();
            mark++;
            const json_plan_node::Member *member = node ? node->member(name, count) : nullptr;
            if (!step(member ? &plan.nodes[member->node] : nullptr)) return false;
            if (is_at('}')) return leave();
            if (!is_at(',')) return unexpected();
            mark++;
        }
    }

    bool array(const json_plan_node *node) {
        if (!enter()) return false;
        if (is_at(']')) return leave();
        for (uint64_t index = 0;; index++) {
            if (node ? !element(*node, index) : !step(nullptr)) return false;
            if (is_at(']')) return leave();
            if (!is_at(',')) return unexpected();
            mark++;
        }
    }

    /// An element that several steps lead to (`[0].a`, `[rel=next].b`) is walked once for each; there is rarely one.
    bool element(const json_plan_node &parent, uint64_t index) {
        const uint32_t start = mark;
        bool is_walked = false;
        for (json_node child : parent.elements) {
            const json_plan_node &node = plan.nodes[child];
            rewind(start);
            if (node.is_filter ? !matches(child) : node.index != index) {
                if (error != JSON_OK) return false;
                continue;
            }
            rewind(start);
            if (!step(&node)) return false;
            is_walked = true;
        }
        if (is_walked) return true;
        rewind(start);
        return step(nullptr);
    }

    void rewind(uint32_t start) {
        mark = start;
        next_backslash = 0;
    }

    /// Whether the element at `mark` is the first one with the member and value that the filter names.
    bool matches(json_node child) {
        for (json_node done : taken)
            if (done == child) return false;
        if (!is_at('{')) return false;
        const json_plan_node &filter = plan.nodes[child];
        json_slot found = {};
        if (!enter()) return false;
        while (is_at('"')) {
            const char *name;
            uint32_t count;
            if (!text(&name, &count)) return false;
            if (!is_at(':')) return unexpected();
            mark++;
            json_slot unwanted;
            const bool is_named = count == filter.name.size() && memcmp(name, filter.name.data(), count) == 0;
            if (!value(nullptr, is_named ? found : unwanted)) return false;
            if (is_at(',')) mark++;
        }
        depth--;
        const char *bytes = found.kind == JSON_TEXT ? found.bytes : found.raw;
        const uint32_t count = found.kind == JSON_TEXT ? found.length : found.raw_length;
        if (found.kind == JSON_MISSING || count != filter.value.size()) return false;
        if (memcmp(bytes, filter.value.data(), count) != 0) return false;
        taken.push_back(child);
        return true;
    }

    // ---- Items

    bool items_at(const json_plan_node &node) {
        if (at_end()) return unexpected();
        items.clear(); // of two members of one name the last counts, as everywhere else
        item_slots.clear();
        if (byte() == '{' && node.is_single_item) {
            items_kind = JSON_ARRAY;
            return item();
        }
        if (byte() != '[') {
            json_slot found;
            const uint32_t begin = here();
            if (!value(&node, found)) return false;
            items_kind = found.kind;
            items_offset = begin;
            return true;
        }
        items_kind = JSON_ARRAY;
        if (!enter()) return false;
        if (is_at(']')) return leave();
        for (;;) {
            if (!item()) return false;
            if (is_at(']')) return leave();
            if (!is_at(',')) return unexpected();
            mark++;
        }
    }

    bool item() {
        const size_t first_slot = item_slots.size();
        item_slots.resize(first_slot + plan.item_slot_count, json_slot{});
        json_slot *const outer_slots = slots;
        slots = item_slots.data() + first_slot;
        if (plan.has_filters) taken.clear();
        json_slot whole;
        const bool is_valid = value(&plan.nodes[JSON_ITEM], whole);
        slots = outer_slots;
        if (is_valid) items.push_back({whole.kind, whole.raw_length, whole.raw});
        return is_valid;
    }

    bool page() {
        if (mark_count == 0) return fail(JSON_EMPTY, 0);
        if (!step(&plan.nodes[JSON_BODY])) return false;
        if (!at_end()) return fail(JSON_TRAILING_BYTES, here());
        if (items_kind == JSON_MISSING) return fail(JSON_ITEMS_MISSING, 0);
        if (items_kind != JSON_ARRAY && items_kind != JSON_NULL) return fail(JSON_ITEMS_WRONG_KIND, items_offset);
        return true;
    }
};

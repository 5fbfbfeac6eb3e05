#pragma once

#include <charconv>
#include <cstring>

#include "arena.h"
#include "include/CSimdjson.h"

/// Reads the tokens of a body one after the other.
///
/// simdjson's first stage gives the place, the mark, of every brace, bracket, colon and comma outside strings, and of the
/// first byte of every string and scalar; between two marks there is nothing but the token and white space.
struct Tokens {
    const char *const body;
    const uint32_t *const marks;
    const uint32_t mark_count;
    Arena &arena;                // where unescaped text goes

    uint32_t mark = 0;
    uint32_t depth = 0;
    uint32_t next_backslash = 0; // the first one at or behind the string looked at last
    json_error error = JSON_OK;
    size_t offset = 0;           // of the error

    Tokens(const char *body, const uint32_t *marks, uint32_t mark_count, Arena &arena)
        : body(body), marks(marks), mark_count(mark_count), arena(arena) {}

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
        char *const start = arena.room(to - from);
        char *out = start;
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
        arena.keep(out);
        *bytes = start;
        *count = uint32_t(out - start);
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
};

#pragma once

#include <charconv>
#include <cstring>

#include "arena.h"
#include "tokens.h"

/// Reads strings, numbers and literals.
struct Scalars : Tokens {
    Arena &arena; // where unescaped text goes

    Scalars(Tokens tokens, Arena &arena) : Tokens(tokens), arena(arena) {}

    /// Bytes that may be read behind a string's text, so that names are compared by words.
    static constexpr size_t word = 8;

    /// The text of the string at `mark`, which it passes.
    [[gnu::always_inline]] bool text(json_slot &slot) {
        if (may_have_escapes(mark)) return escaped_text(slot);
        slot.kind = JSON_TEXT;
        slot.bytes = body + *mark + 1;
        slot.length = token_end(mark + 1) - *mark - 2;
        mark++;
        return true;
    }

    [[gnu::noinline]] bool escaped_text(json_slot &slot) {
        bool has_escapes;
        if (!check_escapes(mark, &has_escapes)) return false;
        slot.kind = JSON_TEXT;
        slot.bytes = body + *mark + 1;
        slot.length = token_end(mark + 1) - *mark - 2;
        mark++;
        if (has_escapes) {
            char *const start = arena.room(slot.length + word);
            char *const end = unescape(start, slot.bytes, slot.bytes + slot.length);
            arena.keep(end);
            slot.bytes = start;
            slot.length = uint32_t(end - start);
        }
        return true;
    }

    bool literal(json_slot &slot) {
        switch (byte()) {
        case 't': slot.kind = JSON_TRUE; return word_is("true");
        case 'f': slot.kind = JSON_FALSE; return word_is("false");
        default: slot.kind = JSON_NULL; return word_is("null");
        }
    }

    /// Passes the token at `mark` if it is the word.
    template <size_t size> bool word_is(const char (&word)[size]) {
        const uint32_t begin = *mark, end = token_end(mark + 1);
        if (end - begin != size - 1 || memcmp(body + begin, word, size - 1) != 0)
            return wrong_scalar(JSON_NOT_JSON, begin, end);
        mark++;
        return true;
    }

    /// A scalar that is the last token of the body and not whole was cut off.
    bool wrong_scalar(json_error why, uint32_t begin, uint32_t end) {
        const bool is_prefix = end == length() && depth > 0;
        return is_prefix ? fail(JSON_TRUNCATED, end) : fail(why, begin);
    }

    static bool is_digit(char c) { return c >= '0' && c <= '9'; }

    /// Reads a usual number: an integer that 64 bits hold for certain, with no white space behind it. False leaves
    /// `mark`.
    bool short_integer(json_slot &slot) {
        const char *p = body + *mark, *const stop = body + mark[1];
        const bool is_negative = *p == '-';
        p += is_negative;
        const ptrdiff_t count = stop - p;
        if (count > 18 || (*p == '0' && count > 1)) return false;
        const char *const digits = p;
        int64_t value = 0;
        while (is_digit(*p)) value = value * 10 + (*p++ - '0');
        if (p != stop || p == digits) return false;
        slot.kind = JSON_INTEGER;
        slot.integer = is_negative ? -value : value;
        mark++;
        return true;
    }

    bool number(json_slot &slot) {
        if (short_integer(slot)) return true;
        const char *const begin = body + *mark;
        bool is_whole;
        if (!check_number(is_whole)) return false;
        const char *const end = body + token_end(mark);
        const auto parsed = is_whole ? std::from_chars(begin, end, slot.integer) : std::from_chars(begin, end, slot.real);
        slot.kind = parsed.ec != std::errc() ? JSON_NUMBER : is_whole ? JSON_INTEGER : JSON_REAL;
        return true;
    }

    /// Passes the number at `mark` if it is one by https://www.rfc-editor.org/rfc/rfc8259#section-6.
    bool check_number(bool &is_whole) {
        const uint32_t begin = *mark, end = token_end(mark + 1);
        const char *p = body + begin, *const stop = body + end;
        const auto has_digits = [&] {
            const char *const first = p;
            while (p < stop && is_digit(*p)) p++;
            return p > first;
        };
        if (*p == '-') p++;
        const char *const digits = p;
        if (!has_digits() || (p - digits > 1 && *digits == '0')) return wrong_scalar(JSON_INVALID_NUMBER, begin, end);
        is_whole = p == stop;
        if (p < stop && *p == '.' && (p++, !has_digits())) return wrong_scalar(JSON_INVALID_NUMBER, begin, end);
        if (p < stop && (*p == 'e' || *p == 'E')) {
            p++;
            if (p < stop && (*p == '+' || *p == '-')) p++;
            if (!has_digits()) return wrong_scalar(JSON_INVALID_NUMBER, begin, end);
        }
        if (p != stop) return wrong_scalar(JSON_INVALID_NUMBER, begin, end);
        mark++;
        return true;
    }

    /// Reads the string, number or literal at `mark`, and passes it.
    bool scalar(json_slot &slot) {
        switch (byte()) {
        case '"': return text(slot);
        case 't': case 'f': case 'n': return literal(slot);
        case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
            return number(slot);
        default: return unexpected();
        }
    }
};

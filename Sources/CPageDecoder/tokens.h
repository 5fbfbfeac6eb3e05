#pragma once

#include <cstddef>
#include <cstdint>

#include "escapes.h"
#include "include/CPageDecoder.h"

/// The tokens of a body, one after the other, and what is wrong with them.
///
/// simdjson's first stage gives the place, the mark, of every brace, bracket, colon and comma outside strings, and of
/// the first byte of every string and scalar; between two marks there is nothing but the token and white space. It
/// refuses an unclosed string, so the token of a quote ends with a quote. Behind the last mark stands one more, at the
/// end of the body, where the padding is zero: no grammar allows that byte, so nothing need ask first whether a token
/// is left.
struct Tokens {
    const char *const body;
    const uint32_t *const end_mark;
    const uint32_t *mark;
    uint32_t depth = 0;
    uint32_t next_backslash; // the first one at or behind the string looked at last
    json_error error = JSON_OK;
    size_t offset = 0;           // of the error

    Tokens(const char *body, const uint32_t *marks, uint32_t mark_count)
        : body(body), end_mark(marks + mark_count), mark(marks),
          next_backslash(uint32_t(find_backslash(body, body + length()) - body)) {}

    uint32_t length() const { return *end_mark; }
    bool at_end() const { return mark == end_mark; }
    char byte() const { return body[*mark]; }

    bool fail(json_error why, size_t where) {
        error = why;
        offset = where;
        return false;
    }
    bool unexpected() { return at_end() ? fail(JSON_TRUNCATED, length()) : fail(JSON_NOT_JSON, *mark); }
    bool unexpected(const uint32_t *at) {
        mark = at;
        return unexpected();
    }

    static bool is_space(char c) {
        // Nearly every token ends with a byte that the first comparison tells.
        return static_cast<unsigned char>(c) <= ' ' && (c == ' ' || c == '\n' || c == '\r' || c == '\t');
    }

    /// The end of the token before the mark `next`: between the two there is only white space.
    uint32_t token_end(const uint32_t *next) const {
        uint32_t end = *next;
        while (is_space(body[end - 1])) end--;
        return end;
    }

    /// A place of the walk, to come back to.
    struct Place {
        const uint32_t *mark;
        uint32_t next_backslash, depth;
    };
    Place place() const { return {mark, next_backslash, depth}; }
    void go(Place place) {
        mark = place.mark;
        next_backslash = place.next_backslash;
        depth = place.depth;
    }

    bool enter() {
        if (++depth > JSON_MAXIMUM_DEPTH) return fail(JSON_TOO_DEEP, *mark);
        mark++;
        return true;
    }

    bool leave() {
        depth--;
        mark++;
        return true;
    }

    /// True if the string at the mark may hold an escape, or was not examined yet.
    bool may_have_escapes(const uint32_t *at) const { return at[1] > next_backslash; }

    /// Checks the escapes of the string at the mark, which may have some.
    bool check_escapes(const uint32_t *at, bool *found = nullptr) {
        const uint32_t begin = *at;
        if (next_backslash < begin) next_backslash = uint32_t(find_backslash(body + begin, body + length()) - body);
        const bool has_escapes = next_backslash < at[1];
        if (found) *found = has_escapes;
        if (!has_escapes) return true;
        const char *const end = body + token_end(at + 1) - 1;
        const char *const invalid = first_invalid_escape(body + next_backslash, end);
        next_backslash = uint32_t(end - body); // where the next search begins
        return invalid ? fail(JSON_INVALID_ESCAPE, size_t(invalid - body)) : true;
    }
};

#pragma once

#include <simdjson.h>

/// The place of the first byte that no UTF-8 text has there. Only called once simdjson has refused the body.
inline size_t first_invalid_utf8(const char *body, size_t length) {
    size_t low = 0, high = length; // the longest valid prefix lies in [low, high)
    while (high - low > 64) {
        const size_t middle = low + (high - low) / 2;
        size_t cut = middle; // not inside a character
        while (cut > low && (body[cut] & 0xC0) == 0x80) cut--;
        if (cut == low) break;
        if (simdjson::validate_utf8(body + low, cut - low)) low = cut;
        else high = cut;
    }
    while (low < high) {
        const unsigned char c = static_cast<unsigned char>(body[low]);
        const size_t count = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
        if (low + count > length || !simdjson::validate_utf8(body + low, count)) return low;
        low += count;
    }
    return low;
}

/// The place of the first control character inside a string.
inline size_t first_control_character(const char *body, size_t length) {
    bool is_in_string = false;
    for (size_t at = 0; at < length; at++) {
        if (body[at] == '"') is_in_string = !is_in_string;
        else if (body[at] == '\\' && is_in_string) at++;
        else if (is_in_string && static_cast<unsigned char>(body[at]) < 0x20) return at;
    }
    return length;
}

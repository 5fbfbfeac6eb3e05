#pragma once

#include <cstddef>

/// At least as many tokens as simdjson's first stage finds: braces, brackets, colons and commas outside strings, and
/// the starts of strings and of scalars.
inline size_t token_count(const char *body, size_t length) {
    size_t count = 0;
    bool is_in_string = false, is_in_scalar = false;
    for (size_t at = 0; at < length; at++) {
        const char byte = body[at];
        if (byte == '\\') {
            // It takes the meaning from a quote, outside strings, too.
            at++;
            if (!is_in_string) count += 2;
            is_in_scalar = false;
        } else if (byte == '"') {
            count++;
            is_in_string = !is_in_string;
            is_in_scalar = false;
        } else if (!is_in_string) {
            // The first stage takes these two control characters for a comma and a colon; the second one refuses them.
            const bool is_control = byte == '\x0c' || byte == '\x1a';
            const bool is_mark = byte == '{' || byte == '}' || byte == '[' || byte == ']' || byte == ':' || byte == ','
                || is_control;
            const bool is_space = byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
            count += is_mark || (!is_space && !is_in_scalar);
            is_in_scalar = !is_mark && !is_space;
        }
    }
    return count;
}

#pragma once

#include <cstdint>
#include <cstring>

// Escapes in strings, https://www.rfc-editor.org/rfc/rfc8259#section-7.

/// The first backslash in [from, end), or `end`.
inline const char *find_backslash(const char *from, const char *end) {
    const void *const found = memchr(from, '\\', size_t(end - from));
    return found ? static_cast<const char *>(found) : end;
}

/// The number that four hexadecimal digits say, or -1.
inline int four_digits(const char *digits) {
    int value = 0;
    for (int i = 0; i < 4; i++) {
        const char c = digits[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

/// The backslash in [from, end) that begins no valid escape, or NULL; at `from` or behind it is the first backslash.
inline const char *first_invalid_escape(const char *from, const char *end) {
    for (const char *at = find_backslash(from, end); at < end; at = *at == '\\' ? at : find_backslash(at, end)) {
        // The string ends with a quote that is not escaped, so one byte more is there.
        switch (at[1]) {
        case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't': at += 2; break;
        case 'u':
            if (end - at < 6 || four_digits(at + 2) < 0) return at;
            at += 6;
            break;
        default: return at;
        }
    }
    return nullptr;
}

inline char *put_utf8(char *out, uint32_t code) {
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

/// The character of the `\u` escape at `in`, which it passes, and its partner's. A surrogate without its partner
/// becomes U+FFFD, so one bad escape costs one character.
inline uint32_t escaped_character(const char *&in, const char *end) {
    uint32_t code = uint32_t(four_digits(in + 2));
    in += 6;
    if (code >= 0xD800 && code < 0xDC00 && end - in >= 6 && in[0] == '\\' && in[1] == 'u') {
        const int low = four_digits(in + 2);
        if (low >= 0xDC00 && low < 0xE000) {
            in += 6;
            return 0x10000 + ((code - 0xD800) << 10) + (uint32_t(low) - 0xDC00);
        }
    }
    return code >= 0xD800 && code < 0xE000 ? 0xFFFD : code;
}

/// Writes the text of [in, end), whose escapes are valid, and gives its end. The text is never longer than what it is
/// made of: the shortest escape of a character is longer than its UTF-8.
inline char *unescape(char *out, const char *in, const char *end) {
    while (in < end) {
        const char *const run = in;
        in = *in == '\\' ? in : find_backslash(in, end);
        memcpy(out, run, size_t(in - run));
        out += in - run;
        if (in == end) break;
        const char c = in[1];
        if (c == 'u') {
            out = put_utf8(out, escaped_character(in, end));
            continue;
        }
        *out++ = c == 'b' ? '\b' : c == 'f' ? '\f' : c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
        in += 2;
    }
    return out;
}

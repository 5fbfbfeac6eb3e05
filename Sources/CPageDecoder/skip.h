#pragma once

#include "scalars.h"

/// Passes values that nobody wants. Most of a body is such, so this is one loop over the marks, without recursion.
struct Skip : Scalars {
    using Scalars::Scalars;

    /// For each depth whether an object is open there.
    bool is_object[JSON_MAXIMUM_DEPTH + 1];

    /// Passes the value at `mark`, which is most often a string without escapes.
    [[gnu::always_inline]] bool pass() {
        const char first = byte();
        if (first == '"' && !may_have_escapes(mark)) {
            mark++;
            return true;
        }
        return first == '{' || first == '[' || first == '"' ? skip() : skip_scalar();
    }

    /// Passes the value at `mark`. Its grammar is checked to the last byte, and nothing of it is kept.
    bool skip() {
        const uint32_t outer_depth = depth;
        const uint32_t *at = mark; // in a register, as `mark` could not be

    value:
        switch (body[*at]) {
        case '"':
            if (may_have_escapes(at) && !check_escapes(at)) return false;
            at++;
            break;
        case '{':
            if (!open(at, true)) return false;
            if (body[*++at] != '}') goto member;
            depth--;
            at++;
            break;
        case '[':
            if (!open(at, false)) return false;
            if (body[*++at] != ']') goto value;
            depth--;
            at++;
            break;
        default:
            mark = at;
            if (!skip_scalar()) return false;
            at = mark;
        }

        while (depth > outer_depth) {
            const char separator = body[*at];
            if (is_object[depth]) {
                if (separator == ',') {
                    at++;
                    goto member;
                }
                if (separator != '}') return unexpected(at);
            } else {
                if (separator == ',') {
                    at++;
                    goto value;
                }
                if (separator != ']') return unexpected(at);
            }
            depth--;
            at++;
        }
        mark = at;
        return true;

    member:
        if (body[*at] != '"') return unexpected(at);
        if (may_have_escapes(at) && !check_escapes(at)) return false;
        if (body[at[1]] != ':') return unexpected(at + 1);
        at += 2;
        goto value;
    }

private:
    bool open(const uint32_t *at, bool as_object) {
        if (++depth > JSON_MAXIMUM_DEPTH) return fail(JSON_TOO_DEEP, *at);
        is_object[depth] = as_object;
        return true;
    }

    bool skip_scalar() {
        json_slot unwanted;
        switch (byte()) {
        case 't': case 'f': case 'n': return literal(unwanted);
        case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9': {
            bool is_whole;
            return short_integer(unwanted) || check_number(is_whole);
        }
        default: return unexpected();
        }
    }
};

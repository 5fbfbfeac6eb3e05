#pragma once

#include "include/CPageDecoder.h"

#include <cstring>
#include <string>
#include <vector>

/// A member's name in the form in which it is compared: by its length and its first and last eight bytes.
struct json_plan_name {
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first bytes of a name are the low ones of a word");

    std::string text;
    uint64_t first, last;

    explicit json_plan_name(std::string name) : text(std::move(name)) {
        std::string padded = text;
        padded.resize(padded.size() + sizeof(uint64_t));
        first = first_word(padded.data(), text.size());
        last = last_word(padded.data(), text.size());
    }

    /// `name` has eight readable bytes behind its end.
    bool is(const char *name, size_t length) const {
        if (length != text.size() || first_word(name, length) != first) return false;
        if (length <= 8) return true;
        return last_word(name, length) == last && (length <= 16 || memcmp(name + 8, text.data() + 8, length - 16) == 0);
    }

private:
    static uint64_t word(const char *bytes) {
        uint64_t word;
        memcpy(&word, bytes, sizeof word);
        return word;
    }
    static uint64_t first_word(const char *name, size_t length) {
        return length >= 8 ? word(name) : word(name) & ((uint64_t(1) << 8 * length) - 1);
    }
    static uint64_t last_word(const char *name, size_t length) { return length >= 8 ? word(name + length - 8) : 0; }
};

/// One step of a path, and where the paths that share it go on.
struct json_plan_node {
    static constexpr uint32_t none = UINT32_MAX;

    struct Member {
        json_plan_name name;
        json_node node;
    };

    uint32_t slot = none;
    bool is_items = false;
    bool is_watched = false; // members that are not among these are strangers

    /// In the order in which they were asked for, which is often that of the upstream.
    std::vector<Member> members;
    /// Their places by the length of the name, so that `first_of_length` finds the few that can match. Longer names
    /// share the last place.
    std::vector<uint16_t> by_length;
    static constexpr size_t longest = 31;
    uint16_t first_of_length[longest + 2] = {};

    /// A bit for each mixture of a member's length and first byte, so that most other members need no look-up.
    uint64_t mixtures = 0;

    std::vector<json_node> elements;
    uint64_t index = 0;       // as an element of its parent
    bool is_filter = false;   // … or the first object whose member `name` is `value`
    std::string name, value;

    bool leads_to_slots() const { return slot != none || !members.empty(); }

    static uint64_t mixture(const char *name, size_t length) {
        return uint64_t(1) << ((length * 5 + static_cast<unsigned char>(*name)) & 63);
    }

    static size_t length_class(size_t length) { return length < longest ? length : longest; }

    /// The member of the name, which has eight readable bytes behind it; first `expected` is tried, which may be the
    /// end.
    [[gnu::always_inline]] const Member *member(const char *name, size_t length, const Member *expected) const {
        return (mixtures & mixture(name, length)) == 0 ? nullptr : look_up(name, length, expected);
    }

    [[gnu::noinline]] const Member *look_up(const char *name, size_t length, const Member *expected) const {
        if (expected != members.data() + members.size() && expected->name.is(name, length)) return expected;
        const size_t place = length_class(length);
        for (size_t i = first_of_length[place]; i < first_of_length[place + 1]; i++) {
            const Member &candidate = members[by_length[i]];
            if (candidate.name.is(name, length)) return &candidate;
        }
        return nullptr;
    }

    /// The member that was asked for by the name.
    const Member *member(const std::string &name) const {
        for (const Member &member : members)
            if (member.name.text == name) return &member;
        return nullptr;
    }

    void add_member(Member added) {
        // The first byte of an empty name is taken for the quote that stands there in a body.
        mixtures |= mixture((added.name.text + '"').data(), added.name.text.size());
        const size_t length = length_class(added.name.text.size());
        by_length.insert(by_length.begin() + first_of_length[length + 1], uint16_t(members.size()));
        for (size_t place = length + 1; place < longest + 2; place++) first_of_length[place]++;
        members.push_back(std::move(added));
    }
};

struct json_plan {
    std::vector<json_plan_node> nodes = std::vector<json_plan_node>(3);
    json_items_shape items_shape = JSON_ITEMS_ARRAY;
    uint32_t body_slot_count = 0;
    uint32_t item_slot_count = 0;
    uint32_t most_memory = 256u << 20;
};

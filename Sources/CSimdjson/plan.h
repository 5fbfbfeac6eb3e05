#pragma once

#include "include/CSimdjson.h"

#include <cstring>
#include <string>
#include <vector>

/// One step of a path, and where the paths that share it go on.
struct json_plan_node {
    static constexpr uint32_t none = UINT32_MAX;

    struct Member {
        std::string name;
        json_node node;
    };

    uint32_t slot = none;
    bool is_items = false;
    bool is_watched = false; // members that are not among these are strangers

    /// Sorted by the length of the name, so that `first_of_length` finds the few that can match. Longer names share
    /// the last place.
    std::vector<Member> members;
    static constexpr size_t longest = 31;
    uint16_t first_of_length[longest + 2] = {};

    std::vector<json_node> elements;
    uint64_t index = 0;       // as an element of its parent
    bool is_filter = false;   // … or the first object whose member `name` is `value`
    std::string name, value;

    bool leads_to_slots() const { return slot != none || !members.empty(); }

    static size_t length_class(size_t length) { return length < longest ? length : longest; }

    const Member *member(const char *name, size_t length) const {
        const size_t place = length_class(length);
        for (size_t i = first_of_length[place]; i < first_of_length[place + 1]; i++) {
            const Member &candidate = members[i];
            if (candidate.name.size() == length && memcmp(candidate.name.data(), name, length) == 0) return &candidate;
        }
        return nullptr;
    }

    void add_member(Member added) {
        size_t at = first_of_length[length_class(added.name.size()) + 1];
        for (size_t place = length_class(added.name.size()) + 1; place < longest + 2; place++) first_of_length[place]++;
        members.insert(members.begin() + at, std::move(added));
    }
};

struct json_plan {
    std::vector<json_plan_node> nodes = std::vector<json_plan_node>(3);
    json_items_shape items_shape = JSON_ITEMS_ARRAY;
    bool is_watched = false;
    uint32_t body_slot_count = 0;
    uint32_t item_slot_count = 0;
};

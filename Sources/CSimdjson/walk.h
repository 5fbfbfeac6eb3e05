#pragma once

#include <cstring>
#include <vector>

#include "plan.h"
#include "tokens.h"

/// Walks the tokens of a body once, checks the grammar, and fills the slots that the plan asks for.
struct Walk : Tokens {
    const json_plan &plan;
    std::vector<json_slot> &item_slots;
    std::vector<json_item> &items;
    json_slot *slots;              // those of the item or the body being walked

    std::vector<json_node> taken;  // filters that have found their element in this item or body
    json_kind items_kind = JSON_MISSING;
    bool has_strangers = false;
    size_t items_offset = 0;

    Walk(const json_plan &plan, Tokens tokens, json_slot *body_slots, std::vector<json_slot> &item_slots,
         std::vector<json_item> &items)
        : Tokens(tokens), plan(plan), item_slots(item_slots), items(items), slots(body_slots) {}

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
            is_valid = object(node && (node->is_watched || !node->members.empty()) ? node : nullptr);
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
        case 'n':
            is_valid = literal(slot, JSON_NULL, "null", 4);
            if (is_valid && node) nullify(*node, body + begin);
            break;
        case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
            is_valid = number(slot);
            break;
        default: return unexpected();
        }
        if (!is_valid) return false;
        if (node && node->is_watched && slot.kind != JSON_OBJECT && slot.kind != JSON_NULL &&
            node != &plan.nodes[JSON_ITEM])
            has_strangers = true;
        slot.raw = body + begin;
        slot.raw_length = token_end(mark) - begin;
        return true;
    }

    /// What would stand below a null is null too: `owner.login` of `{"owner": null}`.
    void nullify(const json_plan_node &node, const char *raw) {
        const auto fill = [&](json_node index) {
            const json_plan_node &child = plan.nodes[index];
            if (child.slot != json_plan_node::none) {
                slots[child.slot] = json_slot{};
                slots[child.slot].kind = JSON_NULL;
                slots[child.slot].raw = raw;
                slots[child.slot].raw_length = 4;
            }
            nullify(child, raw);
        };
        for (const json_plan_node::Member &member : node.members) fill(member.node);
        for (json_node element : node.elements) fill(element);
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
        if (is_at('}')) {
            // Of an object without members none of its columns tells.
            if (node && node->is_watched && node != &plan.nodes[JSON_ITEM]) has_strangers = true;
            return leave();
        }
        for (;;) {
            if (!is_at('"')) return unexpected();
            const char *name;
            uint32_t count;
            if (!text(&name, &count)) return false;
            if (!is_at(':')) return unexpected();
            mark++;
            const json_plan_node::Member *member = node ? node->member(name, count) : nullptr;
            const json_plan_node *next = member ? &plan.nodes[member->node] : nullptr;
            if (node && node->is_watched && (!next || !next->leads_to_slots())) has_strangers = true;
            if (!step(next)) return false;
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
        const uint32_t start = mark, backslash = next_backslash;
        const auto rewind = [&] {
            mark = start;
            next_backslash = backslash; // still the first one at or behind the start
        };
        bool is_walked = false;
        for (json_node child : parent.elements) {
            const json_plan_node &node = plan.nodes[child];
            rewind();
            if (node.is_filter ? !matches(child) : node.index != index) {
                if (error != JSON_OK) return false;
                continue;
            }
            rewind();
            if (!step(&node)) return false;
            is_walked = true;
        }
        if (is_walked) return true;
        rewind();
        return step(nullptr);
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
        if (byte() == '{' && plan.items_shape == JSON_ITEMS_ARRAY_OR_ONE) {
            items_kind = JSON_ARRAY;
            return item();
        }
        if (byte() == '{' && plan.items_shape == JSON_ITEMS_MEMBERS) {
            items_kind = JSON_ARRAY;
            return members_as_items();
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

    /// The members of an object, each an item that has a name.
    bool members_as_items() {
        if (!enter()) return false;
        if (is_at('}')) return leave();
        for (;;) {
            if (!is_at('"')) return unexpected();
            json_slot name{};
            const uint32_t begin = here();
            const char *bytes;
            uint32_t count;
            if (!text(&bytes, &count)) return false;
            name.kind = JSON_TEXT;
            name.bytes = bytes;
            name.length = count;
            name.raw = body + begin;
            name.raw_length = token_end(mark) - begin;
            if (!is_at(':')) return unexpected();
            mark++;
            if (!item()) return false;
            const uint32_t slot = plan.nodes[JSON_MEMBER_NAME].slot;
            if (slot != json_plan_node::none) item_slots[item_slots.size() - plan.item_slot_count + slot] = name;
            if (is_at('}')) return leave();
            if (!is_at(',')) return unexpected();
            mark++;
        }
    }

    bool item() {
        const size_t first_slot = item_slots.size();
        item_slots.resize(first_slot + plan.item_slot_count, json_slot{});
        json_slot *const outer_slots = slots;
        slots = item_slots.data() + first_slot;
        std::vector<json_node> outer_taken;
        outer_taken.swap(taken);
        json_slot whole;
        const bool is_valid = value(&plan.nodes[JSON_ITEM], whole);
        slots = outer_slots;
        taken.swap(outer_taken);
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

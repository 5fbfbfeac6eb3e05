#pragma once

#include <cstring>
#include <vector>

#include "growing.h"
#include "plan.h"
#include "skip.h"

/// Walks the tokens of a body once, checks the grammar, and fills the slots that the plan asks for.
struct Walk : Skip {
    const json_plan &plan;
    Growing<json_slot> &item_slots;
    Growing<json_item> &items;
    const size_t memory;           // that of the body and its marks
    json_slot *slots;              // those of the item or the body being walked

    std::vector<json_node> taken;  // filters that have found their element in this item or body
    json_kind items_kind = JSON_MISSING;
    bool has_strangers = false;
    size_t items_offset = 0;

    Walk(const json_plan &plan, Tokens tokens, Arena &arena, json_slot *body_slots, Growing<json_slot> &item_slots,
         Growing<json_item> &items)
        : Skip(tokens, arena), plan(plan), item_slots(item_slots), items(items),
          memory(length() + size_t(end_mark - mark) * sizeof(*mark)), slots(body_slots) {}

    /// Walks the value at `mark` into `slot`; the plan may go on inside it.
    bool value(const json_plan_node &node, json_slot &slot) {
        const uint32_t begin = *mark;
        switch (body[begin]) {
        case '{':
            slot.kind = JSON_OBJECT;
            if (!(node.is_watched || !node.members.empty() ? object(node) : skip())) return false;
            break;
        case '[':
            slot.kind = JSON_ARRAY;
            if (!(node.elements.empty() ? skip() : array(node))) return false;
            break;
        case '"':
            if (!text(slot)) return false;
            break;
        default:
            if (!scalar(slot)) return false;
            if (slot.kind == JSON_NULL) nullify(node, body + begin);
        }
        if (node.is_watched && slot.kind != JSON_OBJECT && slot.kind != JSON_NULL && &node != &plan.nodes[JSON_ITEM])
            has_strangers = true;
        slot.raw = body + begin;
        slot.raw_length = token_end(mark) - begin;
        return true;
    }

    /// Makes the members below a null null, too: `owner.login` of `{"owner": null}`.
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

    /// Walks the value of a member or element that the plan leads to.
    bool step(const json_plan_node &node) {
        if (node.is_items) return items_at(node);
        json_slot unwanted;
        return value(node, node.slot == json_plan_node::none ? unwanted : slots[node.slot]);
    }

    bool object(const json_plan_node &node) {
        if (!enter()) return false;
        if (byte() == '}') {
            // Of an object without members none of its columns tells.
            if (node.is_watched && &node != &plan.nodes[JSON_ITEM]) has_strangers = true;
            return leave();
        }
        const json_plan_node::Member *expected = node.members.data();
        for (;;) {
            const json_plan_node::Member *const member = next_member(node, expected);
            if (!member) return error == JSON_OK && leave();
            const json_plan_node &next = plan.nodes[member->node];
            expected = member + 1;
            if (node.is_watched && !next.leads_to_slots()) has_strangers = true;
            if (!step(next)) return false;
            if (byte() == '}') return leave();
            if (byte() != ',') return unexpected();
            mark++;
        }
    }

    /// Passes the members of an object up to the value of the next one that the plan knows; null at the end of the
    /// object and after an error. Nobody wants most members, so this is one loop.
    const json_plan_node::Member *next_member(const json_plan_node &node, const json_plan_node::Member *expected) {
        const uint32_t *at = mark; // in a register, as `mark` could not be
        for (;;) {
            const char *bytes;
            size_t length;
            // A name without escapes and without white space behind it, as nearly all are.
            if (body[*at] == '"' && !may_have_escapes(at) && body[at[1] - 1] == '"' && body[at[1]] == ':') {
                bytes = body + *at + 1;
                length = at[1] - *at - 2;
                at += 2;
            } else {
                json_slot name;
                mark = at;
                if (byte() != '"') return misplaced();
                if (!text(name)) return nullptr;
                if (byte() != ':') return misplaced();
                at = ++mark;
                bytes = name.bytes;
                length = name.length;
            }
            if (const json_plan_node::Member *const member = node.member(bytes, length, expected)) {
                mark = at;
                return member;
            }
            if (node.is_watched) has_strangers = true;
            if (body[*at] == '"' && !may_have_escapes(at)) {
                at++;
            } else {
                mark = at;
                if (!pass()) return nullptr;
                at = mark;
            }
            if (body[*at] != ',') {
                mark = at;
                return byte() == '}' ? nullptr : misplaced();
            }
            at++;
        }
    }

    const json_plan_node::Member *misplaced() {
        unexpected();
        return nullptr;
    }

    bool array(const json_plan_node &node) {
        if (!enter()) return false;
        if (byte() == ']') return leave();
        for (uint64_t index = 0;; index++) {
            if (!element(node, index)) return false;
            if (byte() == ']') return leave();
            if (byte() != ',') return unexpected();
            mark++;
        }
    }

    /// An element that several steps lead to (`[0].a`, `[rel=next].b`) is walked once for each; there is rarely one.
    bool element(const json_plan_node &parent, uint64_t index) {
        const Place start = place();
        Place end = start;
        for (json_node child : parent.elements) {
            const json_plan_node &node = plan.nodes[child];
            go(start);
            if (node.is_filter ? !matches(child) : node.index != index) continue;
            if (!step(node)) return false;
            end = place();
        }
        go(end);
        return end.mark != start.mark || skip();
    }

    /// True if the element at `mark` is the first one with the member and value that the filter names. The walk that
    /// follows reports its faults.
    bool matches(json_node child) {
        for (json_node done : taken)
            if (done == child) return false;
        const json_plan_node &filter = plan.nodes[child];
        const Place start = place();
        json_slot found = {};
        const bool is_object = byte() == '{' && find(filter.name, found);
        go(start);
        error = JSON_OK;
        const char *bytes = found.kind == JSON_TEXT ? found.bytes : found.raw;
        const uint32_t count = found.kind == JSON_TEXT ? found.length : found.raw_length;
        if (!is_object || found.kind == JSON_MISSING || count != filter.value.size()) return false;
        if (memcmp(bytes, filter.value.data(), count) != 0) return false;
        taken.push_back(child);
        return true;
    }

    /// The value of the last member of the name in the object at `mark`, which it passes.
    bool find(const std::string &name, json_slot &found) {
        static const json_plan_node leaf;
        if (!enter()) return false;
        while (byte() == '"') {
            json_slot key;
            if (!text(key)) return false;
            if (byte() != ':') return false;
            mark++;
            const bool is_named = key.length == name.size() && memcmp(key.bytes, name.data(), key.length) == 0;
            if (!(is_named ? value(leaf, found) : skip())) return false;
            if (byte() == ',') mark++;
        }
        return true;
    }

    // ---- Items

    bool items_at(const json_plan_node &node) {
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
            const uint32_t begin = *mark;
            if (!value(node, found)) return false;
            items_kind = found.kind;
            items_offset = begin;
            return true;
        }
        items_kind = JSON_ARRAY;
        if (!enter()) return false;
        if (byte() == ']') return leave();
        for (uint64_t index = 0;; index++) {
            if (!node.elements.empty() && !body_values(node, index)) return false;
            if (!item()) return false;
            if (byte() == ']') return leave();
            if (byte() != ',') return unexpected();
            mark++;
        }
    }

    /// The values of the body that stand in the item at `mark`, which is walked again as an item then.
    bool body_values(const json_plan_node &node, uint64_t index) {
        const Place start = place();
        if (!element(node, index)) return false;
        go(start);
        return true;
    }

    /// The members of an object, each an item that has a name.
    bool members_as_items() {
        if (!enter()) return false;
        if (byte() == '}') return leave();
        for (;;) {
            if (byte() != '"') return unexpected();
            json_slot name{};
            const uint32_t begin = *mark;
            if (!text(name)) return false;
            name.raw = body + begin;
            name.raw_length = token_end(mark) - begin;
            if (byte() != ':') return unexpected();
            mark++;
            if (!item()) return false;
            const uint32_t slot = plan.nodes[JSON_MEMBER_NAME].slot;
            if (slot != json_plan_node::none) item_slots[item_slots.size() - plan.item_slot_count + slot] = name;
            if (byte() == '}') return leave();
            if (byte() != ',') return unexpected();
            mark++;
        }
    }

    bool item() {
        const size_t first_slot = item_slots.size(), outer_taken = taken.size();
        if (memory + items.size() * sizeof(json_item) + first_slot * sizeof(json_slot) > plan.most_memory)
            return fail(JSON_TOO_MANY_ITEMS, *mark);
        item_slots.resize(first_slot + plan.item_slot_count);
        json_slot *const outer_slots = slots;
        slots = item_slots.data() + first_slot;
        json_slot whole;
        const bool is_valid = value(plan.nodes[JSON_ITEM], whole);
        slots = outer_slots;
        taken.resize(outer_taken);
        if (is_valid) items.push_back({whole.kind, whole.raw_length, whole.raw});
        return is_valid;
    }

    bool page() {
        if (at_end()) return fail(JSON_EMPTY, 0);
        if (!step(plan.nodes[JSON_BODY])) return false;
        if (!at_end()) return fail(JSON_TRAILING_BYTES, *mark);
        if (items_kind == JSON_MISSING) return fail(JSON_ITEMS_MISSING, 0);
        if (items_kind != JSON_ARRAY && items_kind != JSON_NULL) return fail(JSON_ITEMS_WRONG_KIND, items_offset);
        return true;
    }
};

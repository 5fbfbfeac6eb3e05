#include "plan.h"

// No exception may leave an extern "C" function. A plan is a few hundred bytes made once a run, from a definition that
// is itself limited; where even that cannot be had, the process ends as it would for any small Swift allocation.

extern "C" {

json_plan *json_plan_create(void) { return new (std::nothrow) json_plan(); }

void json_plan_destroy(json_plan *plan) { delete plan; }

static json_node add_node(json_plan *plan) {
    plan->nodes.emplace_back();
    return json_node(plan->nodes.size() - 1);
}

json_node json_plan_member(json_plan *plan, json_node parent, const char *name, size_t length) {
    std::string wanted(name, length);
    if (auto *found = plan->nodes[parent].member(wanted)) return found->node;
    const json_node node = add_node(plan);
    plan->nodes[parent].add_member({json_plan_name(std::move(wanted)), node});
    return node;
}

json_node json_plan_index(json_plan *plan, json_node parent, uint64_t index) {
    for (json_node element : plan->nodes[parent].elements)
        if (!plan->nodes[element].is_filter && plan->nodes[element].index == index) return element;
    const json_node node = add_node(plan);
    plan->nodes[node].index = index;
    plan->nodes[parent].elements.push_back(node);
    return node;
}

json_node json_plan_first_where(json_plan *plan, json_node parent, const char *name, size_t name_length,
                                const char *value, size_t value_length) {
    const std::string wanted_name(name, name_length), wanted_value(value, value_length);
    for (json_node element : plan->nodes[parent].elements) {
        const json_plan_node &node = plan->nodes[element];
        if (node.is_filter && node.name == wanted_name && node.value == wanted_value) return element;
    }
    const json_node node = add_node(plan);
    plan->nodes[node].is_filter = true;
    plan->nodes[node].name = wanted_name;
    plan->nodes[node].value = wanted_value;
    plan->nodes[parent].elements.push_back(node);
    return node;
}

uint32_t json_plan_slot(json_plan *plan, json_node node, int of_item) {
    uint32_t &slot = plan->nodes[node].slot;
    if (slot == json_plan_node::none) slot = of_item ? plan->item_slot_count++ : plan->body_slot_count++;
    return slot;
}

void json_plan_items(json_plan *plan, json_node node, json_items_shape shape) {
    plan->nodes[node].is_items = true;
    plan->items_shape = shape;
}

static void watch(json_plan *plan, json_node node) {
    plan->nodes[node].is_watched = true;
    for (const json_plan_node::Member &member : plan->nodes[node].members) {
        const json_plan_node &child = plan->nodes[member.node];
        // A value that is kept whole has no strangers inside.
        if (child.slot == json_plan_node::none && !child.members.empty()) watch(plan, member.node);
    }
}

void json_plan_limit(json_plan *plan, uint32_t memory) { plan->most_memory = memory; }

void json_plan_watch(json_plan *plan) { watch(plan, JSON_ITEM); }

} // extern "C"

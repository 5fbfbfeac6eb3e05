// libFuzzer feeds the decoder bodies: whatever comes must be a page or an error, and every slot must lie in readable memory.
#include <CSimdjson.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

static json_node member(json_plan *plan, json_node parent, const char *name) {
    return json_plan_member(plan, parent, name, strlen(name));
}

static json_plan *make_plan() {
    json_plan *plan = json_plan_create();
    json_plan_items(plan, member(plan, JSON_BODY, "items"), JSON_ITEMS_ARRAY_OR_ONE);
    json_plan_slot(plan, member(plan, JSON_BODY, "total"), 0);
    const json_node links = member(plan, JSON_BODY, "links");
    json_plan_slot(plan, member(plan, json_plan_first_where(plan, links, "rel", 3, "next", 4), "href"), 0);
    json_plan_slot(plan, member(plan, JSON_ITEM, "id"), 1);
    json_plan_slot(plan, member(plan, JSON_ITEM, "name"), 1);
    const json_node owner = member(plan, JSON_ITEM, "owner");
    json_plan_slot(plan, owner, 1);
    json_plan_slot(plan, member(plan, owner, "login"), 1);
    const json_node tags = member(plan, JSON_ITEM, "tags");
    json_plan_slot(plan, json_plan_index(plan, tags, 0), 1);
    json_plan_slot(plan, member(plan, json_plan_index(plan, tags, 0), "a"), 1);
    json_plan_slot(plan, member(plan, json_plan_first_where(plan, tags, "k", 1, "v", 1), "a"), 1);
    // Steps that lead to the same element, and filters inside filters.
    const json_node typed = json_plan_first_where(plan, tags, "t", 1, "v", 1);
    json_plan_slot(plan, member(plan, typed, "a"), 1);
    json_plan_slot(plan, member(plan, json_plan_first_where(plan, member(plan, typed, "b"), "k", 1, "v", 1), "a"), 1);
    return plan;
}

static size_t read_all(const json_slot &slot) {
    if (slot.kind == JSON_MISSING) return 0;
    size_t sum = 0;
    for (uint32_t i = 0; i < slot.raw_length; i++) sum += (unsigned char)slot.raw[i];
    if (slot.kind == JSON_TEXT)
        for (uint32_t i = 0; i < slot.length; i++) sum += (unsigned char)slot.bytes[i];
    return sum;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static json_plan *const plan = make_plan();
    static json_decoder *const decoder = json_decoder_create();
    char *body = static_cast<char *>(malloc(size + JSON_PADDING));
    memcpy(body, data, size);
    memset(body + size, 0, JSON_PADDING);
    const json_page page = json_decode(decoder, plan, body, size);
    volatile size_t sum = 0;
    if (page.error == JSON_OK) {
        sum += read_all(page.body_slots[0]) + read_all(page.body_slots[1]);
        for (size_t i = 0; i < page.item_count * page.slots_per_item; i++) sum += read_all(page.item_slots[i]);
    } else if (page.offset > size) {
        abort();
    }
    free(body);
    return 0;
}

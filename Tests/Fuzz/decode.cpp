// libFuzzer feeds the decoder bodies: whatever comes must be a page or an error, and every slot must lie in readable memory.
#include <CPageDecoder.h>

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

/// A plan as that of a feed whose columns are found: strangers are watched for, and items are the members of an object.
static json_plan *make_watching_plan(json_items_shape shape) {
    json_plan *plan = json_plan_create();
    json_plan_items(plan, member(plan, JSON_BODY, "items"), shape);
    json_plan_slot(plan, JSON_MEMBER_NAME, 1);
    json_plan_slot(plan, member(plan, JSON_ITEM, "id"), 1);
    const json_node owner = member(plan, JSON_ITEM, "owner");
    json_plan_slot(plan, member(plan, owner, "login"), 1);
    json_plan_slot(plan, member(plan, member(plan, owner, "tags"), "k"), 1);
    json_plan_slot(plan, json_plan_index(plan, member(plan, JSON_ITEM, "tags"), 0), 1);
    const json_node mixed = member(plan, JSON_ITEM, "name");
    json_plan_slot(plan, mixed, 1);
    json_plan_slot(plan, member(plan, mixed, "a"), 1);
    json_plan_watch(plan);
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

/// Whether the kinds that the page tells of are those of its slots.
static bool has_true_kinds(const json_page &page) {
    for (size_t slot = 0; slot < page.slots_per_item; slot++) {
        uint16_t kinds = 0;
        for (size_t item = 0; item < page.item_count; item++)
            if (page.items[item].kind == JSON_OBJECT)
                kinds |= uint16_t(1 << page.item_slots[item * page.slots_per_item + slot].kind);
        if (kinds != page.item_kinds[slot]) return false;
    }
    return true;
}

/// Decodes the body, and gives what is wrong with its JSON; what stands at the path to the items is another question.
static json_page decode(json_decoder *decoder, const json_plan *plan, size_t body_slots, const uint8_t *data, size_t size) {
    char *body = static_cast<char *>(malloc(size + JSON_PADDING));
    memcpy(body, data, size);
    memset(body + size, 0, JSON_PADDING);
    const json_page page = json_decode(decoder, plan, body, size);
    volatile size_t sum = 0;
    if (page.error == JSON_OK) {
        for (size_t i = 0; i < body_slots; i++) sum += read_all(page.body_slots[i]);
        for (size_t i = 0; i < page.item_count * page.slots_per_item; i++) sum += read_all(page.item_slots[i]);
        if (!has_true_kinds(page)) abort();
    } else if (page.offset > size) {
        abort();
    }
    free(body);
    json_page fault = {};
    fault.error = page.error == JSON_ITEMS_MISSING || page.error == JSON_ITEMS_WRONG_KIND ? JSON_OK : page.error;
    fault.offset = fault.error == JSON_OK ? 0 : page.offset;
    return fault;
}

static bool is_same(const json_page &fault, const json_page &other) {
    return fault.error == other.error && fault.offset == other.offset;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static json_plan *const plan = make_plan();
    static json_plan *const members = make_watching_plan(JSON_ITEMS_MEMBERS);
    static json_plan *const array = make_watching_plan(JSON_ITEMS_ARRAY);
    static json_plan *const passing = json_plan_create();
    // One decoder for all: pages of several feeds share its buffers.
    static json_decoder *const decoder = json_decoder_create();
    // A value that nobody wants is passed over by other code than reads a wanted one, and what is wrong must not depend on it.
    const json_page fault = decode(decoder, passing, 0, data, size);
    if (!is_same(fault, decode(decoder, plan, 2, data, size))) abort();
    if (!is_same(fault, decode(decoder, members, 0, data, size))) abort();
    if (!is_same(fault, decode(decoder, array, 0, data, size))) abort();
    return 0;
}

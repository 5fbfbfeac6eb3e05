// One pass over a JSON page: simdjson finds and validates the structure, a compiled plan says which values are kept.
//
// Nothing is copied but text that holds escapes: a slot points into the body or into the decoder's own buffer, and
// stays valid until the next decode, or until either is freed.

#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes that must be readable behind the end of a body, and zero.
#define JSON_PADDING 64
/// Arrays and objects may be nested this deep, the outermost counted.
#define JSON_MAXIMUM_DEPTH 1024

typedef enum {
    JSON_MISSING = 0,
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_INTEGER,  // `integer`
    JSON_REAL,     // `real`
    JSON_NUMBER,   // a number that neither holds without loss of its digits: they are the raw text
    JSON_TEXT,     // `bytes`, `length`: UTF-8, unescaped
    JSON_OBJECT,
    JSON_ARRAY,
} json_kind;

/// One value. `raw` and `raw_length` are the JSON as received, for every kind but JSON_MISSING.
typedef struct {
    json_kind kind;
    uint32_t length;
    uint32_t raw_length;
    union {
        int64_t integer;
        double real;
        const char *bytes;
    };
    const char *raw;
} json_slot;

/// One element of the items array.
typedef struct {
    json_kind kind;       // what came; only JSON_OBJECT fills slots
    uint32_t raw_length;
    const char *raw;
} json_item;

typedef enum {
    JSON_OK = 0,
    JSON_EMPTY,             // no bytes, or white space alone
    JSON_NOT_JSON,          // a byte that no JSON value begins with or goes on with
    JSON_TRUNCATED,         // the body ends inside a value
    JSON_INVALID_UTF8,
    JSON_INVALID_ESCAPE,
    JSON_CONTROL_CHARACTER, // an unescaped control character in a string
    JSON_INVALID_NUMBER,
    JSON_TRAILING_BYTES,    // something stands behind the value
    JSON_TOO_DEEP,
    JSON_TOO_LARGE,         // the body takes more memory than `json_plan_limit` says
    JSON_TOO_MANY_TOKENS,   // the body and the places of its tokens do
    JSON_TOO_MANY_ITEMS,    // these and the items with their slots do
    JSON_OUT_OF_MEMORY,
    JSON_ITEMS_MISSING,     // the path to the items leads nowhere
    JSON_ITEMS_WRONG_KIND,  // … or to something that is no array (`items_kind` says what)
} json_error;

/// The parts of a page to keep: a tree of steps, each perhaps with a slot. Immutable once a decoder uses it.
typedef struct json_plan json_plan;
typedef uint32_t json_node;

/// The node of the body, that of an item, and that of the name of the member that an item is.
#define JSON_BODY 0
#define JSON_ITEM 1
#define JSON_MEMBER_NAME 2

/// The kind of value in the place of the items.
typedef enum {
    JSON_ITEMS_ARRAY = 0,
    JSON_ITEMS_ARRAY_OR_ONE, // an object there is the only item
    JSON_ITEMS_MEMBERS,      // an object whose members are the items
} json_items_shape;

/// NULL when memory is short.
json_plan *json_plan_create(void);
void json_plan_destroy(json_plan *plan);

/// Each finds or makes the child of `parent`.
json_node json_plan_member(json_plan *plan, json_node parent, const char *name, size_t length);
json_node json_plan_index(json_plan *plan, json_node parent, uint64_t index);
json_node json_plan_first_where(json_plan *plan, json_node parent, const char *name, size_t name_length,
                                const char *value, size_t value_length);

/// Gives the node a slot (the one it has, if it has one), counted from 0 apart for body and item.
uint32_t json_plan_slot(json_plan *plan, json_node node, int of_item);

/// Says that the items are at this node.
void json_plan_items(json_plan *plan, json_node node, json_items_shape shape);

/// Says how many bytes a body, the places of its tokens, its items and their slots may take together: less than 4 GiB,
/// and 256 MiB where nothing is said.
void json_plan_limit(json_plan *plan, uint32_t memory);

/// Asks for `has_strangers`; what hangs below an item's node must be there already.
void json_plan_watch(json_plan *plan);

typedef struct json_decoder json_decoder;

/// NULL when memory is short. A decoder belongs to one thread at a time.
json_decoder *json_decoder_create(void);
void json_decoder_destroy(json_decoder *decoder);
/// The bytes that it keeps for the next page.
size_t json_decoder_memory(const json_decoder *decoder);

typedef struct {
    json_error error;
    size_t offset;               // of the error, in bytes from the start of the body
    json_kind items_kind;        // what stood where the items should be
    const json_slot *body_slots;
    const json_item *items;
    const json_slot *item_slots; // `slots_per_item` for each item
    size_t item_count;
    size_t slots_per_item;
    const uint16_t *item_kinds;  // for each slot the kinds that came: 1 << kind, or'ed
    int has_strangers;           // if watched, whether an item had a member that no node is for
} json_page;

/// Decodes `length` bytes, behind which JSON_PADDING zeroed ones are readable.
json_page json_decode(json_decoder *decoder, const json_plan *plan, const char *body, size_t length);

#ifdef __cplusplus
}
#endif

#endif

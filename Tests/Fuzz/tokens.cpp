// libFuzzer feeds bodies to simdjson's first stage: it never finds more tokens than we counted before we let it.
#include <simdjson.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "../../Sources/CPageDecoder/count.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    std::vector<uint8_t> body(data, data + size);
    body.resize(size + simdjson::SIMDJSON_PADDING);
    std::unique_ptr<simdjson::internal::dom_parser_implementation> scanner;
    if (simdjson::get_active_implementation()->create_dom_parser_implementation(size, 1024, scanner) != simdjson::SUCCESS) abort();
    scanner->n_structural_indexes = 0;
    const auto code = scanner->stage1(body.data(), size, simdjson::stage1_mode::regular);
    if (code != simdjson::SUCCESS) return 0;
    if (scanner->n_structural_indexes > token_count(reinterpret_cast<const char *>(data), size)) abort();
    return 0;
}

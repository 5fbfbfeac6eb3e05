#pragma once
#include <stddef.h>
#include <stdint.h>

// One interface to the libraries that undo the content codings of a response (RFC 9110, section 8.4.1), and that give
// them to ours: zlib, libbrotlidec, libbrotlienc and libzstd. They are opened when they are first needed; libcurl has
// opened the decoders by then.
//
// libcurl could undo them, too, but it does not tell a body that was cut off from a whole one.

enum content_coding { CONTENT_CODING_GZIP, CONTENT_CODING_DEFLATE, CONTENT_CODING_BROTLI, CONTENT_CODING_ZSTD };

enum content_result {
    /// All input was taken; more may come.
    CONTENT_OPEN,
    /// All input was taken, and the coding's end mark with it.
    CONTENT_ENDED,
    /// The output is full.
    CONTENT_FULL,
    /// The bytes are not of the coding.
    CONTENT_BROKEN,
    /// The coding has ended, and other bytes follow.
    CONTENT_TRAILING,
    CONTENT_OUT_OF_MEMORY,
};

struct content_decoder;

/// True if a coding can be undone here: its library is there. The first call for each is to be made by one thread
/// alone.
int content_coding_is_known(enum content_coding coding);

/// Begins a body; NULL if the coding is not known or there is no memory.
struct content_decoder *content_decoder_new(enum content_coding coding);

/// Undoes the next bytes.
///
/// On return `*input` and `*input_count` are what is left of the input, and `*output_count` is how many bytes were
/// written.
enum content_result content_decoder_decode(
    struct content_decoder *decoder, const uint8_t **input, size_t *input_count, uint8_t *output, size_t *output_count);

void content_decoder_free(struct content_decoder *decoder);

/// True if bodies can be given a coding here: gzip and brotli, if the library is there.
int content_coding_can_encode(enum content_coding coding);

/// Gives a whole body a coding.
///
/// Returns the count of bytes that were written; 0 if they do not fit into the output, or the coding is not known.
size_t content_coding_encode(
    enum content_coding coding, const uint8_t *input, size_t input_count, uint8_t *output, size_t output_size);

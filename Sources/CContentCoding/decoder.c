#include "CContentCoding.h"
#include "CLibraryLoader.h"
#include <brotli/decode.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

// As the libraries' headers declare them, so that the compiler checks each call against it.
#define MEMBER(name) __typeof__(name) *name;
#define ENTRY(name) {#name, (void **)&functions.name, 0},

#define ZLIB_FUNCTIONS(FUNCTION)                                                                                       \
    FUNCTION(inflateInit2_)                                                                                            \
    FUNCTION(inflate)                                                                                                  \
    FUNCTION(inflateReset)                                                                                             \
    FUNCTION(inflateEnd)

#define BROTLI_FUNCTIONS(FUNCTION)                                                                                     \
    FUNCTION(BrotliDecoderCreateInstance)                                                                              \
    FUNCTION(BrotliDecoderDecompressStream)                                                                            \
    FUNCTION(BrotliDecoderGetErrorCode)                                                                                \
    FUNCTION(BrotliDecoderDestroyInstance)

#define ZSTD_FUNCTIONS(FUNCTION)                                                                                       \
    FUNCTION(ZSTD_createDStream)                                                                                       \
    FUNCTION(ZSTD_DCtx_setParameter)                                                                                   \
    FUNCTION(ZSTD_decompressStream)                                                                                    \
    FUNCTION(ZSTD_isError)                                                                                             \
    FUNCTION(ZSTD_freeDStream)

static struct {
    ZLIB_FUNCTIONS(MEMBER)
    BROTLI_FUNCTIONS(MEMBER)
    ZSTD_FUNCTIONS(MEMBER)
} functions;

// Any thread may be the first that needs a library, and the others wait for it then.
#define LIBRARY(name, file, functions_of_it)                                                                           \
    static pthread_once_t name##_once = PTHREAD_ONCE_INIT;                                                             \
    static int has_##name;                                                                                             \
    static void load_##name(void) {                                                                                    \
        static const struct library_function list[] = {functions_of_it(ENTRY)};                                        \
        has_##name = library_load(file, list, sizeof list / sizeof *list) == NULL;                                     \
    }

LIBRARY(zlib, LIBRARY_FILE("z", "1"), ZLIB_FUNCTIONS)
LIBRARY(brotli, LIBRARY_FILE("brotlidec", "1"), BROTLI_FUNCTIONS)
LIBRARY(zstd, LIBRARY_FILE("zstd", "1"), ZSTD_FUNCTIONS)

int content_coding_is_known(enum content_coding coding) {
    switch (coding) {
        case CONTENT_CODING_GZIP:
        case CONTENT_CODING_DEFLATE: return pthread_once(&zlib_once, load_zlib), has_zlib;
        case CONTENT_CODING_BROTLI: return pthread_once(&brotli_once, load_brotli), has_brotli;
        case CONTENT_CODING_ZSTD: return pthread_once(&zstd_once, load_zstd), has_zstd;
    }
    return 0;
}

struct content_decoder {
    enum content_coding coding;
    /// True if the last byte that was taken was the end mark's.
    int has_ended;
    /// True while zlib is at work: with "deflate" once the first byte tells how it is wrapped.
    int has_stream;
    z_stream zlib;
    BrotliDecoderState *brotli;
    ZSTD_DStream *zstd;
};

/// The largest window that a decoder of zstd has to offer: https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1.1.2
enum { ZSTD_WINDOW_LOG = 23 };

static int begin_zlib(struct content_decoder *decoder, int window_bits) {
    decoder->has_stream =
        functions.inflateInit2_(&decoder->zlib, window_bits, ZLIB_VERSION, (int)sizeof(z_stream)) == Z_OK;
    return decoder->has_stream;
}

struct content_decoder *content_decoder_new(enum content_coding coding) {
    if (!content_coding_is_known(coding)) return NULL;
    struct content_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) return NULL;
    decoder->coding = coding;
    int is_ready = 1;
    switch (coding) {
        case CONTENT_CODING_GZIP: is_ready = begin_zlib(decoder, 16 + MAX_WBITS); break;
        case CONTENT_CODING_DEFLATE: break;
        case CONTENT_CODING_BROTLI:
            decoder->brotli = functions.BrotliDecoderCreateInstance(NULL, NULL, NULL);
            is_ready = decoder->brotli != NULL;
            break;
        case CONTENT_CODING_ZSTD:
            decoder->zstd = functions.ZSTD_createDStream();
            is_ready = decoder->zstd != NULL
                && !functions.ZSTD_isError(
                    functions.ZSTD_DCtx_setParameter(decoder->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG));
            break;
    }
    if (is_ready) return decoder;
    content_decoder_free(decoder);
    return NULL;
}

void content_decoder_free(struct content_decoder *decoder) {
    if (decoder == NULL) return;
    if (decoder->has_stream) functions.inflateEnd(&decoder->zlib);
    if (decoder->brotli != NULL) functions.BrotliDecoderDestroyInstance(decoder->brotli);
    if (decoder->zstd != NULL) functions.ZSTD_freeDStream(decoder->zstd);
    free(decoder);
}

static enum content_result decode_zlib(
    struct content_decoder *decoder, const uint8_t **input, size_t *input_count, uint8_t *output, size_t *output_count) {
    if (!decoder->has_stream) {
        // "deflate" is zlib's format, but some servers send the bare one: the first byte of zlib's names its method, 8,
        // and that of a bare block cannot. https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.2
        int is_wrapped = ((*input)[0] & 0x0f) == 8 && (*input)[0] >> 4 <= 7;
        if (!begin_zlib(decoder, is_wrapped ? MAX_WBITS : -MAX_WBITS)) return CONTENT_OUT_OF_MEMORY;
    }
    z_stream *stream = &decoder->zlib;
    size_t room = *output_count < UINT_MAX ? *output_count : UINT_MAX;
    size_t offered = *input_count < UINT_MAX ? *input_count : UINT_MAX;
    stream->next_in = (Bytef *)*input;
    stream->avail_in = (uInt)offered;
    stream->next_out = output;
    stream->avail_out = (uInt)room;
    int code = Z_OK;
    if (decoder->has_ended) {
        // Another member may follow: https://www.rfc-editor.org/rfc/rfc1952#section-2.2
        if (decoder->coding != CONTENT_CODING_GZIP || (*input)[0] != 0x1f) return CONTENT_TRAILING;
        code = functions.inflateReset(stream);
        decoder->has_ended = 0;
    }
    if (code == Z_OK) code = functions.inflate(stream, Z_NO_FLUSH);
    *input += offered - stream->avail_in;
    *input_count -= offered - stream->avail_in;
    *output_count = room - stream->avail_out;
    if (code == Z_MEM_ERROR) return CONTENT_OUT_OF_MEMORY;
    if (code == Z_STREAM_END) {
        decoder->has_ended = 1;
        return *input_count > 0 ? CONTENT_FULL : CONTENT_ENDED;
    }
    // Without input nothing can be done, which is no fault.
    if (code != Z_OK && (code != Z_BUF_ERROR || offered > 0)) return CONTENT_BROKEN;
    return stream->avail_out == 0 || *input_count > 0 ? CONTENT_FULL : CONTENT_OPEN;
}

static enum content_result decode_brotli(
    struct content_decoder *decoder, const uint8_t **input, size_t *input_count, uint8_t *output, size_t *output_count) {
    if (decoder->has_ended) return CONTENT_TRAILING;
    size_t room = *output_count;
    BrotliDecoderResult result =
        functions.BrotliDecoderDecompressStream(decoder->brotli, input_count, input, &room, &output, NULL);
    *output_count -= room;
    switch (result) {
        case BROTLI_DECODER_RESULT_SUCCESS:
            decoder->has_ended = 1;
            return *input_count > 0 ? CONTENT_FULL : CONTENT_ENDED;
        case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: return CONTENT_OPEN;
        case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: return CONTENT_FULL;
        default: break;
    }
    BrotliDecoderErrorCode code = functions.BrotliDecoderGetErrorCode(decoder->brotli);
    int is_memory = code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
    return is_memory ? CONTENT_OUT_OF_MEMORY : CONTENT_BROKEN;
}

static enum content_result decode_zstd(
    struct content_decoder *decoder, const uint8_t **input, size_t *input_count, uint8_t *output, size_t *output_count) {
    ZSTD_inBuffer in = {*input, *input_count, 0};
    ZSTD_outBuffer out = {output, *output_count, 0};
    size_t hint = functions.ZSTD_decompressStream(decoder->zstd, &out, &in);
    *input += in.pos;
    *input_count -= in.pos;
    *output_count = out.pos;
    if (functions.ZSTD_isError(hint)) return decoder->has_ended ? CONTENT_TRAILING : CONTENT_BROKEN;
    // Another frame may follow: https://www.rfc-editor.org/rfc/rfc8878#section-3.1
    decoder->has_ended = hint == 0;
    if (*input_count > 0 || (hint != 0 && out.pos == out.size)) return CONTENT_FULL;
    return decoder->has_ended ? CONTENT_ENDED : CONTENT_OPEN;
}

enum content_result content_decoder_decode(
    struct content_decoder *decoder, const uint8_t **input, size_t *input_count, uint8_t *output, size_t *output_count) {
    if (*input_count == 0 && !decoder->has_stream && decoder->coding == CONTENT_CODING_DEFLATE) {
        *output_count = 0;
        return CONTENT_OPEN;
    }
    switch (decoder->coding) {
        case CONTENT_CODING_GZIP:
        case CONTENT_CODING_DEFLATE: return decode_zlib(decoder, input, input_count, output, output_count);
        case CONTENT_CODING_BROTLI: return decode_brotli(decoder, input, input_count, output, output_count);
        case CONTENT_CODING_ZSTD: return decode_zstd(decoder, input, input_count, output, output_count);
    }
    return CONTENT_BROKEN;
}

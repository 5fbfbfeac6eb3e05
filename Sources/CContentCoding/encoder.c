#include "CContentCoding.h"
#include "CLibraryLoader.h"
#include <brotli/encode.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <zlib.h>

// As the libraries' headers declare them, so that the compiler checks each call against it.
static struct {
    __typeof__(deflateInit2_) *deflateInit2_;
    __typeof__(deflate) *deflate;
    __typeof__(deflateEnd) *deflateEnd;
    __typeof__(BrotliEncoderCompress) *BrotliEncoderCompress;
} functions;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int has_zlib, has_brotli;

static void load(void) {
    static const struct library_function zlib[] = {
        {"deflateInit2_", (void **)&functions.deflateInit2_, 0},
        {"deflate", (void **)&functions.deflate, 0},
        {"deflateEnd", (void **)&functions.deflateEnd, 0},
    };
    static const struct library_function brotli[] = {
        {"BrotliEncoderCompress", (void **)&functions.BrotliEncoderCompress, 0},
    };
    has_zlib = library_load("libz.so.1", zlib, sizeof zlib / sizeof *zlib) == NULL;
    has_brotli = library_load("libbrotlienc.so.1", brotli, sizeof brotli / sizeof *brotli) == NULL;
}

int content_coding_can_encode(enum content_coding coding) {
    pthread_once(&once, load);
    return (coding == CONTENT_CODING_GZIP && has_zlib) || (coding == CONTENT_CODING_BROTLI && has_brotli);
}

// Both take about as long as the page takes to be made; higher levels save a twentieth more, and take several times as
// long.
enum { GZIP_LEVEL = 6, BROTLI_QUALITY = 5, MEMORY_LEVEL = 8 };

static size_t encode_gzip(const uint8_t *input, size_t input_count, uint8_t *output, size_t output_size) {
    if (input_count > UINT_MAX || output_size > UINT_MAX) return 0;
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    int code = functions.deflateInit2_(
        &stream, GZIP_LEVEL, Z_DEFLATED, 16 + MAX_WBITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        (int)sizeof stream);
    if (code != Z_OK) return 0;
    stream.next_in = (Bytef *)input;
    stream.avail_in = (uInt)input_count;
    stream.next_out = output;
    stream.avail_out = (uInt)output_size;
    code = functions.deflate(&stream, Z_FINISH);
    size_t count = output_size - stream.avail_out;
    functions.deflateEnd(&stream);
    return code == Z_STREAM_END ? count : 0;
}

size_t content_coding_encode(
    enum content_coding coding, const uint8_t *input, size_t input_count, uint8_t *output, size_t output_size) {
    if (!content_coding_can_encode(coding)) return 0;
    if (coding == CONTENT_CODING_GZIP) return encode_gzip(input, input_count, output, output_size);
    size_t count = output_size;
    BROTLI_BOOL is_done = functions.BrotliEncoderCompress(
        BROTLI_QUALITY, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, input_count, input, &count, output);
    return is_done ? count : 0;
}

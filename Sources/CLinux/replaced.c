/* For: what the board's program does not take from its libraries. `tools/build-arm64` links it with `--wrap` for each name
   here: whoever asks for the library's part gets this one, and what nobody asks for any more is left out. Other builds do not
   use this file. Each part stands with what the program does without it. */

#include <stddef.h>
#include <stdint.h>

/* Certificates compressed with zstd (RFC 8879). OpenSSL takes "no such method" for a build without zstd: a server then sends
   its certificates as they are. */
void *__wrap_COMP_zstd(void) { return NULL; }

void *__wrap_COMP_zstd_oneshot(void) { return NULL; }

const void *__wrap_BIO_f_zstd(void) { return NULL; }

void __wrap_ossl_comp_zstd_cleanup(void) {}

/* Tables that make the curve SM2 quick, half a megabyte. It is counted as the other curves without tables are. */
extern const void *EC_GFp_mont_method(void);

const void *__wrap_EC_GFp_sm2p256_method(void) { return EC_GFp_mont_method(); }

/* Unicode's names of characters, half a megabyte. The program does not ask for them: `Unicode.Scalar.Properties.name`
   is nil. */
intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity) {
    (void)scalar;
    (void)buffer;
    (void)capacity;
    return 0;
}

// What Platform needs of OpenSSL. Functions that begin with ha_ stand for macros, which Swift cannot see.
#pragma once
// C's own types stay with Glibc: without this they would count as this module's, because its headers include them too,
// and Swift would refuse them elsewhere (MemberImportVisibility).
#pragma clang module import SwiftGlibc
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/// What every TLS context has: TLS 1.2 or newer, no renegotiation, no compression, no tickets, no session cache;
/// buffers are given back when idle, and a write may be repeated from another place in memory.
static inline int ha_context_prepare(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
                                  | SSL_MODE_AUTO_RETRY | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

/// The only version that a context speaks.
static inline int ha_context_set_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version) && SSL_CTX_set_max_proto_version(context, version);
}

/// A certificate to be sent after the server's own; the context keeps a reference of its own.
static inline int ha_context_add_chain(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

/// The name in the ClientHello (SNI).
static inline int ha_set_server_name(SSL *session, const char *name) {
    return (int)SSL_set_tlsext_host_name(session, name);
}

static inline void ha_note_message(int is_ours, int version, int type, const void *bytes, size_t count, SSL *session,
                                   void *flag) {
    (void)version;
    (void)session;
    if (!is_ours && type == SSL3_RT_HANDSHAKE && count > 0 && *(const unsigned char *)bytes == SSL3_MT_HELLO_REQUEST)
        *(int *)flag = 1;
}

/// Sets `*flag` to 1 once the server has asked to renegotiate (HelloRequest). `flag` must outlive the session.
static inline void ha_note_renegotiation(SSL *session, int *flag) {
    SSL_set_msg_callback(session, ha_note_message);
    SSL_set_msg_callback_arg(session, flag);
}

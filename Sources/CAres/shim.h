#pragma once
// C's own types stay with Glibc: without this they would count as this module's, because its headers include them too,
// and Swift would refuse them elsewhere (MemberImportVisibility).
#pragma clang module import SwiftGlibc
#include <ares.h>

// Status codes are macros in c-ares 1.18 and constants of an enum in 1.34: one form for both.
static const int ha_ares_success = ARES_SUCCESS;
static const int ha_ares_no_data = ARES_ENODATA;
static const int ha_ares_not_found = ARES_ENOTFOUND;
static const int ha_ares_no_name = ARES_ENONAME;
static const int ha_ares_bad_name = ARES_EBADNAME;
static const int ha_ares_bad_string = ARES_EBADSTR;
static const int ha_ares_timeout = ARES_ETIMEOUT;

// Deprecated in 1.34 in favour of functions that 1.18 does not have; both have these.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static inline void ha_ares_query_srv(ares_channel channel, const char *name, ares_callback callback, void *data) {
    ares_query(channel, name, 1, 33, callback, data);
}
static inline int ha_ares_parse_srv(const unsigned char *bytes, int count, struct ares_srv_reply **first) {
    return ares_parse_srv_reply(bytes, count, first);
}
static inline int ha_ares_parse_a(
    const unsigned char *bytes, int count, struct ares_addrttl *records, int *room) {
    return ares_parse_a_reply(bytes, count, NULL, records, room);
}
#pragma clang diagnostic pop

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

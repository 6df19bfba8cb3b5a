#pragma once
// C's own types stay with Glibc: without this they would count as this module's, because its headers include them too,
// and Swift would refuse them elsewhere (MemberImportVisibility).
#pragma clang module import SwiftGlibc
#include <sqlite3.h>

// Swift cannot call what takes any number of arguments.
static inline int howalarming_sqlite_page_header(int *bytes) { return sqlite3_config(SQLITE_CONFIG_PCACHE_HDRSZ, bytes); }
static inline int howalarming_sqlite_page_memory(void *block, int slot, int count) {
    return sqlite3_config(SQLITE_CONFIG_PAGECACHE, block, slot, count);
}

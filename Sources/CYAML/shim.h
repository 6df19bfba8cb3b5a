#pragma once
// C's own types stay with Glibc: without this they would count as this module's, because its headers include them too,
// and Swift would refuse them elsewhere (MemberImportVisibility).
#pragma clang module import SwiftGlibc
#include <yaml.h>

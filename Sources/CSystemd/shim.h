// The one function we need, declared here: <systemd/sd-daemon.h> pulls in C headers whose types Swift would then count
// as this module's and refuse elsewhere (MemberImportVisibility).
#pragma once
#include <stdint.h>

/// sd_watchdog_enabled(3)
int sd_watchdog_enabled(int unset_environment, uint64_t *usec);

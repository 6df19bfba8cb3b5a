// What Swift cannot see of Linux: macros and variadic calls. Everything here begins with ha_.
#pragma once
#include <stdint.h>

/// ioctl number of the terminal's size query, a macro that Swift does not import.
unsigned long ha_tiocgwinsz(void);

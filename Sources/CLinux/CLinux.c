#include "CLinux.h"
#include <sys/ioctl.h>

unsigned long ha_tiocgwinsz(void) { return TIOCGWINSZ; }

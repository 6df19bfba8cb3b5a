"""How a run begins and ends: PROGRAM MINUTES SEED DIRECTORY; an interruption ends it with status 130, a fault with 1."""
import os
import signal
import sys
import traceback


def _interrupted(*_):
    raise KeyboardInterrupt


def run(main):
    """Does not return: the namespaces end with this process, and everything in them."""
    signal.signal(signal.SIGTERM, _interrupted)
    signal.signal(signal.SIGHUP, _interrupted)
    status = 1
    try:
        status = main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        status = 130
    except Exception:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)

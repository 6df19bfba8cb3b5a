"""The data partition of a machine that is off, looked at from outside: its file system, and the journal on it."""
import os
import shutil
import subprocess


class Damage(AssertionError):
    pass


def stored_events(data, directory):
    """The number of the last event in the journal on this partition, which must be whole; mends what a start would mend."""
    # The file system's journal, files without a name. Anything else is damage (4).
    mended = subprocess.run(["e2fsck", "-fp", data], capture_output=True, check=False, text=True)
    if mended.returncode not in (0, 1):
        raise Damage(mended.stdout + mended.stderr)
    whole = subprocess.run(["e2fsck", "-fn", data], capture_output=True, check=False, text=True)
    if whole.returncode != 0:
        raise Damage(whole.stdout + whole.stderr)
    place = os.path.join(directory, "stored")
    shutil.rmtree(place, True)
    os.mkdir(place)
    for name in ("journal.db", "journal.db-wal"):
        subprocess.run(["debugfs", "-R", f"dump howalarming/{name} {place}/{name}", data], capture_output=True, check=False)
    check = subprocess.run(["sqlite3", f"{place}/journal.db", "PRAGMA integrity_check; SELECT max(seq) FROM log"],
                           capture_output=True, check=False, text=True)
    lines = check.stdout.split()
    if lines[:1] != ["ok"]:
        raise Damage(check.stdout + check.stderr)
    return int(lines[1])

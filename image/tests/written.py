"""What a machine wrote to its card, in order, and the card as a power cut at any of these writes would have left it.

The emulator keeps the writes (its filter `blklogwrites`, in the form of the kernel's dm-log-writes). Ending the emulator
leaves whatever the machine had handed over; a card that loses its power has only what was flushed, and any part of the
rest. Knows nothing of what lies on the card.
"""
import bisect
import os
import struct

SECTOR = 512
MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD = 1, 2, 4


class Write:
    """`place` and `count` in sectors of the card; `content`: where in the log its bytes begin."""

    def __init__(self, place, count, flags, content):
        self.place, self.count, self.flags, self.content = place, count, flags, content

    @property
    def has_bytes(self):
        return self.count > 0 and not self.flags & DISCARD


class Written:
    def __init__(self, path):
        self.path, self.writes, self.ends = path, [], []
        size = os.path.getsize(path)
        with open(path, "rb") as log:
            magic, _, _, sector = struct.unpack("<QQQI", log.read(28))
            if (magic, sector) != (MAGIC, SECTOR):
                raise ValueError(f"{path} is no log of writes in sectors of {SECTOR} bytes")
            begin = SECTOR
            while begin + SECTOR <= size:
                log.seek(begin)
                place, count, flags, _ = struct.unpack("<QQQQ", log.read(32))
                write = Write(place, count, flags, begin + SECTOR)
                end = begin + SECTOR + (count * SECTOR if write.has_bytes else 0)
                if end > size:
                    break  # The emulator ended within it.
                self.writes.append(write)
                self.ends.append(end)
                begin = end

    def up_to(self, size):
        """How many writes are wholly within the first bytes of the log."""
        return bisect.bisect_right(self.ends, size)

    def flushed(self, cut):
        """How many of the first `cut` writes a card must have kept: all before its last flush."""
        return next((number + 1 for number in range(cut - 1, -1, -1) if self.writes[number].flags & FLUSH), 0)

    def survivors(self, cut, chance):
        """Those after the last flush that a card has kept by chance, as numbers; the order stays, for a card does not bring
        back the older content of a sector."""
        share = chance.choice((0, 0.3, 0.7, 1))
        return [number for number in range(self.flushed(cut), cut)
                if self.writes[number].flags & FUA or chance.random() < share]

    def put(self, numbers, target, first=0, count=None, torn=None):
        """Writes them to an open file that holds the card's sectors from `first` on; of `torn`, only that many sectors."""
        with open(self.path, "rb") as log:
            for number in numbers:
                write = self.writes[number]
                if not write.has_bytes or write.place < first or (count is not None and write.place >= first + count):
                    continue
                log.seek(write.content)
                sectors = torn[1] if torn and torn[0] == number else write.count
                target.seek((write.place - first) * SECTOR)
                target.write(log.read(sectors * SECTOR))

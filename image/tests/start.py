"""The slot state, as it lies on the card."""
import zlib

# The sectors of the two copies of the slot state.
FIRST_COPY, SECOND_COPY = 0x6000, 0x4000


def state(first, a, b, good, number=None):
    """A copy of the slot state, as U-Boot exports it."""
    names = {"BOOT_A_LEFT": a, "BOOT_B_LEFT": b, "BOOT_ORDER": first, "BOOT_SEQ": number, "GOOD": good}
    block = b"".join(f"{name}={value}".encode() + b"\0" for name, value in names.items() if value is not None)
    block = block.ljust(508, b"\0")
    return zlib.crc32(block).to_bytes(4, "little") + block

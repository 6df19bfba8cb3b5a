import Glibc

/// An open file descriptor with one owner; it is closed when the owner lets go of it.
package final class Descriptor: Sendable {
    package let number: Int32

    package init(owning number: Int32) {
        precondition(number >= 0, "a descriptor is owned after the call that made it was checked")
        self.number = number
    }

    deinit { _ = close(number) }
}

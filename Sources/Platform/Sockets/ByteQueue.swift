/// Bytes that wait to be sent, oldest first.
struct ByteQueue {
    private var storage: [UInt8] = []
    private var head = 0

    var count: Int { storage.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ bytes: [UInt8]) { storage += bytes }

    mutating func removeFirst(_ count: Int) {
        head += count
        precondition(head <= storage.count, "no more is taken from a queue than it holds")
        if head == storage.count {
            // A burst must not keep its memory for ever.
            storage.removeAll(keepingCapacity: storage.capacity <= 64 * 1024)
            head = 0
        } else if head > 64 * 1024, head > storage.count / 2 {
            storage.removeFirst(head)
            head = 0
        }
    }

    mutating func removeAll() {
        storage = []
        head = 0
    }

    /// The waiting bytes, in place.
    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        storage.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[head...])) }
    }
}

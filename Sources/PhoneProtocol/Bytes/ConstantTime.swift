/// Comparing secrets.
package enum ConstantTime {
    /// Whether both are equal; how long it takes depends on the lengths only.
    package static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        var difference: UInt8 = 0
        for index in a.indices { difference |= a[index] ^ b[index] }
        return difference == 0
    }
}

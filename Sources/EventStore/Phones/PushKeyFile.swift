/// The box's key towards push services, beside the phones' keys and in each backup: phones subscribe with its public half,
/// so another key would mean pairing them again.
package enum PushKeyFile {
    package static let name = "push.key"

    /// nil: none was made yet.
    package static func read(in directory: String) throws(StoreError) -> [UInt8]? {
        try StateFile.read("\(directory)/\(name)")
    }

    /// Readable by its owner alone; durable when it returns.
    package static func write(_ key: [UInt8], in directory: String) throws(StoreError) {
        try StateFile.write(key, to: "\(directory)/\(name)")
    }
}

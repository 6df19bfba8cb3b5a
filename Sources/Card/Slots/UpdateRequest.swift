import Glibc
package import Platform

/// What the daemon asks of the service that may write the slots: a file in the runtime directory, for which
/// howalarming-update.path waits. First line: the bundle; second: `older` where an older version was confirmed.
package struct UpdateRequest: Equatable {
    var bundle: String
    var isOlderConfirmed: Bool

    package init(bundle: String, isOlderConfirmed: Bool) {
        self.bundle = bundle
        self.isOlderConfirmed = isOlderConfirmed
    }

    private static let older = "older"

    private static func file(_ runtimeDirectory: String?) -> String? { runtimeDirectory.map { "\($0)/update" } }

    package static func isPossible(
        runtimeDirectory: String? = getenv("RUNTIME_DIRECTORY").map { String(cString: $0) },
        running: Bool = UpdatePlaces().runningSlot != nil
    ) -> Bool {
        runtimeDirectory != nil && running
    }

    package func make(
        runtimeDirectory: String? = getenv("RUNTIME_DIRECTORY").map { String(cString: $0) }
    ) throws(SystemError) {
        guard let file = Self.file(runtimeDirectory) else { return }
        let text = "\(bundle)\n" + (isOlderConfirmed ? "\(Self.older)\n" : "")
        try AtomicFile.write(file, Array(text.utf8))
    }

    /// Reads it and removes it; nil when there is none that makes sense.
    static func take(_ file: String) -> UpdateRequest? {
        let bytes = try? FileReader.read(file, limit: 8192)
        _ = unlink(file)
        guard let lines = bytes?.split(separator: 10, omittingEmptySubsequences: false), let first = lines.first,
            first.first == UInt8(ascii: "/")
        else { return nil }
        let second = lines.dropFirst().first.map { String(decoding: $0, as: UTF8.self) }
        return UpdateRequest(bundle: String(decoding: first, as: UTF8.self), isOlderConfirmed: second == older)
    }
}

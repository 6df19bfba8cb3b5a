import Foundation

/// The service manager's side of sd_notify.
final class NotifySocket {
    let path: String
    private let socket: TestSocket
    private(set) var lines: [String] = []

    init(in scratch: String) throws {
        path = "\(scratch)/notify"
        try? FileManager.default.removeItem(atPath: path)
        socket = try TestSocket.unix(path, connects: false)
    }

    func read() {
        while let bytes = socket.receive(), !bytes.isEmpty {
            lines += String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    /// The last `STATUS=`, without it.
    var status: String {
        read()
        return lines.last { $0.hasPrefix("STATUS=") }.map { String($0.dropFirst(7)) } ?? ""
    }

    var isReady: Bool {
        read()
        return lines.contains("READY=1")
    }

    func forget() {
        read()
        lines = []
    }
}

import AlarmModel
import Platform
import Simulators

/// Serves the files of one folder as a static web host does, with what a browser wants to know of each. A machine
/// without I/O: the files are read before, so there is no path out of the folder.
struct FolderHost: HTTPService {
    /// By their paths below the folder.
    private let files: [String: [UInt8]]
    private var http = HTTPServerMachine()
    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "json": "application/json", "svg": "image/svg+xml", "png": "image/png", "wasm": "application/wasm",
        "webmanifest": "application/manifest+json",
    ]

    init(files: [String: [UInt8]]) { self.files = files }

    var nextDeadline: BootTime? { nil }

    mutating func accepted(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        http.accepted(id)
    }

    mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        http.received(id, bytes)
        while let request = http.next(id, into: &actions) {
            http.answer(id, answer(to: request), into: &actions)
        }
    }

    mutating func closed(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        http.closed(id)
    }

    mutating func timerFired(at now: Moment, into actions: inout [HTTPServiceAction]) {}

    private func answer(to request: HTTPServerRequest) -> HTTPServerAnswer {
        let fresh = HTTPServerRequest.Field("Cache-Control", "no-store")
        guard ["GET", "HEAD"].contains(request.method) else {
            return HTTPServerAnswer(405, fields: [.init("Allow", "GET, HEAD"), fresh])
        }
        var name = String(request.path.drop { $0 == "/" })
        if name.isEmpty || name.hasSuffix("/") { name += "index.html" }
        guard let body = files[name] else {
            return HTTPServerAnswer(404, fields: [fresh], body: Array("there is no such file\n".utf8))
        }
        let ending = name.split(separator: ".").last.map(String.init) ?? ""
        let type = HTTPServerRequest.Field("Content-Type", Self.types[ending] ?? "application/octet-stream")
        return HTTPServerAnswer(200, fields: [type, fresh], body: body)
    }
}

/// The files of a folder.
enum Folder {
    /// Everything below it, by paths such as `screens/pair.js`; names that begin with a dot are passed over.
    /// - Parameter limit: bytes of one file
    static func files(of folder: String, limit: Int = 8 * 1024 * 1024) throws(SystemError) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        try read(folder, as: "", depth: 0, limit, into: &files)
        return files
    }

    private static func read(
        _ folder: String, as prefix: String, depth: Int, _ limit: Int, into files: inout [String: [UInt8]]
    ) throws(SystemError) {
        guard depth < 8, let names = DemoDirectory.names(in: folder) else { throw SystemError.last("opendir", folder) }
        for name in names where !name.hasPrefix(".") {
            let path = "\(folder)/\(name)"
            if DemoDirectory.names(in: path) != nil {
                try read(path, as: "\(prefix)\(name)/", depth: depth + 1, limit, into: &files)
            } else {
                files[prefix + name] = try FileReader.read(path, limit: limit)
            }
        }
    }
}

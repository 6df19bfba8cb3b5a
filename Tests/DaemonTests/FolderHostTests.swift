import AlarmModel
import Simulators
import Testing

@testable import Laboratory

@Suite("The web host of a folder")
struct FolderHostTests {
    private static let files: [String: [UInt8]] = [
        "index.html": Array("page".utf8), "screens/pair.js": Array("script".utf8), "core.wasm": [0, 1, 2],
        "app.webmanifest": Array("{}".utf8), "odd": [9],
    ]

    /// What it says to a request, as text.
    private func answer(_ request: String) -> String {
        var host = FolderHost(files: Self.files)
        let id = ConnectionID(1)
        let now = Moment(boot: .zero, wall: WallTime(milliseconds: 0), isWallTrusted: false)
        var actions: [HTTPServiceAction] = []
        host.accepted(id, at: now, into: &actions)
        host.received(id, Array("\(request) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), at: now, into: &actions)
        return actions.map { action in
            if case .send(id, let bytes) = action { String(decoding: bytes, as: UTF8.self) } else { "" }
        }.joined()
    }

    @Test(
        "each file has its type, and nothing is kept by browsers",
        arguments: [
            ("/", "text/html", "page"), ("/index.html?x=1", "text/html", "page"),
            ("/screens/pair.js", "text/javascript", "script"), ("/core.wasm", "application/wasm", "\0\u{1}\u{2}"),
            ("/app.webmanifest", "application/manifest+json", "{}"), ("/odd", "application/octet-stream", "\t"),
        ])
    func eachFileHasItsType(path: String, type: String, body: String) {
        let text = answer("GET \(path)")
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: \(type)"))
        #expect(text.contains("Cache-Control: no-store\r\n"))
        #expect(text.hasSuffix("\r\n\r\n\(body)"))
    }

    @Test(
        "there is no path out of the folder, and none to what is not in it",
        arguments: [
            "/../etc/passwd", "/screens/../index.html", "/%2e%2e/etc/passwd", "/screens", "/screens/", "/.git/config",
            "/index.html/", "/pair.js",
        ])
    func thereIsNoPathOutOfTheFolder(path: String) {
        #expect(answer("GET \(path)").hasPrefix("HTTP/1.1 404"))
    }

    @Test("it takes no other method, and HEAD has no body")
    func itTakesNoOtherMethod() {
        #expect(answer("POST /").hasPrefix("HTTP/1.1 405 Method Not Allowed"))
        let head = answer("HEAD /")
        #expect(head.hasPrefix("HTTP/1.1 200") && head.hasSuffix("\r\n\r\n"))
    }
}

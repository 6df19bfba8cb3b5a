import AlarmModel
import Platform
import Simulators

/// The web app's host, and a browser that is paired with the box.
extension DemoStage {
    /// What the page of an app for the demo may speak to, as its policy names it.
    private static let loopback = "http://127.0.0.1:*"

    /// Serves the folder to browsers on this machine. The host's name is localhost: passkeys want a name.
    func startApp(folder: String) throws {
        let files: [String: [UInt8]]
        do throws(SystemError) {
            files = try Folder.files(of: folder)
        } catch {
            throw DemoEnd.failed("no web app in \(folder): \(error); 'tools/demo --app' builds it")
        }
        let page = String(decoding: files["index.html"] ?? [], as: UTF8.self)
        guard page.contains(Self.loopback), files["core.wasm"] != nil else {
            throw DemoEnd.failed(
                "\(folder) is no web app for the demo; make one with 'tools/build-app --demo --out DIR'")
        }
        host = try HTTPServiceMount(FolderHost(files: files), port: 0, certificates: nil, on: loop)
        keyboard = DemoKeyboard(on: loop)
    }

    /// Where a browser finds the app.
    var appAddress: String? { host.map { "http://localhost:\($0.port)/" } }

    /// As `howalarming phones pair` does; the code is there.
    func beginPairing(_ person: String, _ roles: Roles) throws -> DemoPairing {
        let pairing = DemoPairing(person, roles, over: try connectToDaemon()) { [loop] in loop.stop() }
        guard try wait(until: { pairing.isBegun }) else { throw DemoEnd.noAnswer("the daemon") }
        if let refusal = pairing.refusal { throw DemoEnd.failed("the box pairs nobody: \(refusal)") }
        return pairing
    }
}

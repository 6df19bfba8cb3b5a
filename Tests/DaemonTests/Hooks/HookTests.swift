import AlarmModel
import Foundation
import Platform
import Testing

@testable import Daemon

@Suite("Programs are run without the daemon's rights") struct HookTests {
    /// A directory with programs, a server for it, and one client after the other.
    private final class Rig {
        let loop: EventLoop
        let directory: URL
        let server: HookServer
        var answers: [String] = []
        var attempts: [ConnectAttempt] = []

        init(_ programs: [String: String]) throws {
            loop = try EventLoop()
            directory = FileManager.default.temporaryDirectory.appendingPathComponent("hooks-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            for (name, script) in programs {
                // By another process: while this one writes, a fork in another test holds the file open, and it is busy.
                let shell = Process()
                shell.executableURL = URL(fileURLWithPath: "/bin/sh")
                shell.arguments = [
                    "-c", #"printf '%s\n' "$1" > "$0" && chmod 755 "$0""#,
                    directory.appendingPathComponent(name).path, "#!/bin/sh\n\(script)",
                ]
                try shell.run()
                shell.waitUntilExit()
            }
            server = try HookServer(
                directory: directory.path, socketDirectory: directory.path, socketName: "socket", limit: 2, on: loop)
        }

        func mode(_ name: String, _ mode: Int) throws {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: directory.appendingPathComponent(name).path)
        }

        func text(_ name: String) -> String {
            (try? String(contentsOf: directory.appendingPathComponent(name), encoding: .utf8)) ?? ""
        }

        /// Sends a line; what comes back is in `answers`, one for each connection.
        func send(_ line: String, then act: @escaping (Platform.Stream) -> Void = { _ in }) {
            attempts.append(
                Connector(on: loop).openUnix(directory: directory.path, name: "socket") { [self] result in
                    guard let stream = try? result.get() else {
                        Issue.record("no connection")
                        return
                    }
                    var text = ""
                    stream.onReceived = { text += String(decoding: $0, as: UTF8.self) }
                    stream.onClosed = { [self] _ in
                        answers.append(text)
                        loop.stop()
                    }
                    stream.send(Array((line + "\n").utf8))
                    act(stream)
                })
        }

        func ask(_ line: String) -> String {
            send(line)
            run()
            return answers.last ?? ""
        }

        func run(_ span: Duration = .seconds(10)) {
            let token = loop.setTimer(after: span) { [self] in
                Issue.record("nothing happened")
                loop.stop()
            }
            loop.run()
            loop.cancel(token)
        }

        deinit {
            server.close()
            try? FileManager.default.removeItem(at: directory)
        }
    }

    private func request(_ program: String, limit: Int = 5, event: String = #"{"type":"alarm","code":"601"}"#) -> String
    {
        #"{"program":"\#(program)","message":"1a-7","limit":\#(limit),"event":\#(event)}"#
    }

    @Test("a program gets the event and its message's name, and its status comes back")
    func aProgramGetsTheEventAndItsMessagesName() throws {
        let rig = try Rig([
            "good": #"cd "$(dirname "$0")"; cat > got; echo "$HOWALARMING_MESSAGE" >> got"#, "bad": "exit 3",
            "killed": "kill -TERM $$", "odd": "exit 0",
        ])
        #expect(rig.ask(request("good")) == "{\"exit\":0}\n")
        #expect(rig.text("got") == "{\"type\":\"alarm\",\"code\":\"601\"}\n1a-7\n")
        #expect(rig.ask(request("bad")) == "{\"exit\":3}\n")
        #expect(rig.ask(request("killed")) == "{\"signal\":15}\n")
        try rig.mode("odd", 0o775)
        #expect(rig.ask(request("odd")).contains("others may write it"))
        try rig.mode("odd", 0o644)
        #expect(rig.ask(request("odd")).contains("chmod a+rx"))
    }

    @Test("a program whose file is just being written is to be tried again, and is then run")
    func aProgramWhoseFileIsJustBeingWrittenIsToBeTriedAgain() throws {
        let rig = try Rig(["good": "exit 0"])
        let writing = open(rig.directory.appendingPathComponent("good").path, O_WRONLY | O_CLOEXEC)
        try #require(writing >= 0)
        #expect(rig.ask(request("good")) == "{\"busy\":true}\n")
        close(writing)
        #expect(rig.ask(request("good")) == "{\"exit\":0}\n")
    }

    @Test("a program that takes too long is killed with all its children, and so are children that it leaves behind")
    func aProgramThatTakesTooLongIsKilledWithAllItsChildren() throws {
        let rig = try Rig([
            "long": #"cd "$(dirname "$0")"; (sleep 2; echo late > child) & sleep 30"#,
            "leaves": #"cd "$(dirname "$0")"; (sleep 1; echo late > left) & exit 0"#,
        ])
        #expect(rig.ask(request("leaves")) == "{\"exit\":0}\n")
        #expect(rig.ask(request("long", limit: 1)) == "{\"overtime\":true}\n")
        rig.loop.setTimer(after: .milliseconds(1500)) { rig.loop.stop() }
        rig.loop.run()
        #expect(rig.text("child").isEmpty && rig.text("left").isEmpty)
    }

    @Test("nothing outside of the directory is run, and nonsense is refused")
    func nothingOutsideOfTheDirectoryIsRun() throws {
        let rig = try Rig([:])
        for name in ["../../bin/true", "/bin/true", "", ".hidden", "a b", "-x", "socket"] {
            #expect(rig.ask(request(name)).hasPrefix("{\"refused\":"), "\(name)")
        }
        #expect(rig.ask(request("missing")).contains("there is no such file"))
        // The card's own was not taken, and why.
        let refused = try Rig(["lights.refused": "its SHA-256 is another"])
        #expect(refused.ask(request("lights")).contains("its SHA-256 is another"))
        for line in [
            "", "{}", "[]", request("x", limit: 0), request("x", limit: 301), #"{"program":"x","message":"m"}"#,
            "\u{1}",
        ] {
            #expect(rig.ask(line).contains("the request is not as it should be"), "\(line)")
        }
    }

    @Test("so many at a time; who goes away ends the program")
    func soManyAtATimeWhoGoesAwayEndsTheProgram() throws {
        let rig = try Rig(["slow": #"cd "$(dirname "$0")"; sleep 1; echo done >> done"#])
        var clients: [Platform.Stream] = []
        for _ in 0..<2 { rig.send(request("slow")) { clients.append($0) } }
        rig.loop.setTimer(after: .milliseconds(200)) { rig.send(request("slow")) }
        rig.run()
        #expect(rig.answers == ["{\"busy\":true}\n"])
        clients.forEach { $0.reset() }
        while rig.answers.count < 3 { rig.run() }
        rig.loop.setTimer(after: .milliseconds(1300)) { rig.loop.stop() }
        rig.loop.run()
        #expect(rig.text("done").isEmpty)
    }
}

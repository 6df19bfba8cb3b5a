import AlarmModel
import Glibc
import Platform
import Testing

@Suite struct ListenerTests {
    @Test("a Unix socket whose path is longer than a socket address works and is readable by its owner only")
    func aUnixSocketWhosePathIsLongerThanASocketAddressWorks() throws {
        let directory = try TemporaryDirectory()
        let deep = try directory.deep()
        let loop = try EventLoop()
        var received: [UInt8] = []
        let listener = try Listener(directory: deep, name: "control", on: loop) { client in
            client.onReceived = {
                received += $0
                loop.stop()
            }
        }
        var status = stat()
        #expect(stat("\(deep)/control", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        _ = Connector(on: loop).openUnix(directory: deep, name: "control") { result in
            if let stream = try? result.get() { stream.send([1, 2, 3]) }
        }
        #expect(loop.runBounded())
        #expect(received == [1, 2, 3])
        listener.close()
        #expect(access("\(deep)/control", F_OK) != 0)
        rmdir(deep)
    }

    @Test("a socket on which somebody answers is not taken; one left by a dead process is")
    func aSocketOnWhichSomebodyAnswersIsNotTaken() throws {
        let directory = try TemporaryDirectory()
        let loop = try EventLoop()
        let first = try Listener(directory: directory.path, name: "control", on: loop) { _ in }
        let taken = thrown(SystemError.self) {
            try Listener(directory: directory.path, name: "control", on: loop) { _ in }
        }
        #expect(taken?.number == EADDRINUSE)
        first.close()

        leaveSocket(at: "\(directory.path)/control")
        let second = try Listener(directory: directory.path, name: "control", on: loop) { _ in }
        second.close()
    }

    @Test("a file that is no socket is left alone")
    func aFileThatIsNoSocketIsLeftAlone() throws {
        let directory = try TemporaryDirectory()
        try AtomicFile.write("\(directory.path)/control", [1])
        let error = thrown(SystemError.self) {
            try Listener(directory: directory.path, name: "control", on: try EventLoop()) { _ in }
        }
        #expect(error?.number == EADDRINUSE)
        #expect(try FileReader.read("\(directory.path)/control", limit: 10) == [1])
    }

    @Test("closing leaves the socket file of a successor")
    func closingLeavesTheSocketFileOfASuccessor() throws {
        let directory = try TemporaryDirectory()
        let loop = try EventLoop()
        let first = try Listener(directory: directory.path, name: "control", on: loop) { _ in }
        unlink("\(directory.path)/control")
        let second = try Listener(directory: directory.path, name: "control", on: loop) { _ in }
        first.close()
        #expect(access("\(directory.path)/control", F_OK) == 0)
        second.close()
    }

    @Test("a client above the limit is told and closed; a place that becomes free is given again")
    func aClientAboveTheLimitIsToldAndClosed() throws {
        let loop = try EventLoop()
        var accepted: [Stream] = []
        let listener = try Listener(loopback: loopback, on: loop, limit: 2, refusal: [33]) { accepted.append($0) }
        var refused: [UInt8] = []
        var ends: [ConnectionEnd] = []
        let connector = Connector(on: loop)
        func dial(_ then: @escaping (Stream) -> Void) {
            _ = connector.open(Endpoint(address: localhost, port: listener.port)) { result in
                if let stream = try? result.get() { then(stream) }
            }
        }
        dial { first in
            dial { _ in
                dial { third in
                    third.onReceived = { refused += $0 }
                    third.onClosed = {
                        ends.append($0)
                        first.close()
                        loop.setTimer(after: .milliseconds(50)) {
                            dial { _ in loop.setTimer(after: .milliseconds(50)) { loop.stop() } }
                        }
                    }
                }
            }
        }
        #expect(loop.runBounded())
        #expect(refused == [33])
        #expect(ends == [.finished])
        #expect(accepted.count == 3)
        #expect(listener.clientCount == 2)
    }

    @Test("only root and our own user are entitled")
    func onlyRootAndOurOwnUserAreEntitled() {
        #expect(Listener.isEntitled(user: 0))
        #expect(Listener.isEntitled(user: geteuid()))
        #expect(!Listener.isEntitled(user: geteuid() + 4711))
    }

    /// Needs root to become somebody else, and the Perl that every Debian has.
    private static let canBeSomebodyElse = geteuid() == 0 && access("/usr/bin/perl", X_OK) == 0

    @Test("another user who gets at the socket is closed at once", .enabled(if: canBeSomebodyElse))
    func anotherUserWhoGetsAtTheSocketIsClosedAtOnce() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/control"
        let loop = try EventLoop()
        var accepted = 0
        let listener = try Listener(directory: directory.path, name: "control", on: loop) { client in
            accepted += 1
            client.send(Array("welcome".utf8))
            client.close()
        }
        // The file's mode would keep the stranger out already: this is about the second fence.
        chmod(directory.path, 0o755)
        chmod(path, 0o777)
        let script = """
            $> = $ARGV[1]; socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un($ARGV[0])) or die $!;
            sysread(S, $heard, 100); print "heard <$heard>\\n";
            """
        func heard(by user: UInt32) throws -> [String] {
            var lines: [String] = []
            let child = try ChildProcess(
                "/usr/bin/perl", ["-MSocket", "-e", script, path, String(user)], output: .lines, on: loop)
            child.onLine = { lines.append($1) }
            child.onEnd = { _ in loop.stop() }
            #expect(loop.runBounded())
            return lines
        }
        #expect(try heard(by: 65534) == ["heard <>"])
        #expect(accepted == 0)
        #expect(try heard(by: 0) == ["heard <welcome>"])
        listener.close()
    }

    @Test("nobody outside this machine is listened to")
    func nobodyOutsideThisMachineIsListenedTo() throws {
        let everywhere = Endpoint(address: try #require(IPAddress("0.0.0.0")), port: 0)
        let error = thrown(SystemError.self) {
            try Listener(loopback: everywhere, on: try EventLoop()) { _ in }
        }
        #expect(error?.number == EADDRNOTAVAIL)
    }

    /// What a process leaves that was killed: a socket file without a socket.
    private func leaveSocket(at path: String) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        close(descriptor)
        #expect(access(path, F_OK) == 0)
    }
}

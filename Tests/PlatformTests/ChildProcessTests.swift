import AlarmModel
import Glibc
import Platform
import Testing

@Suite struct ChildProcessTests {
    @Test("lines of both outputs come in order, the end comes last")
    func linesOfBothOutputsComeInOrder() throws {
        let loop = try EventLoop()
        let script = "echo one; echo; printf 'no end' ; echo $GREETING >&2; read x || echo 'no input' >&2; exit 7"
        let child = try ChildProcess(
            "/bin/sh", ["-c", script], environment: ["GREETING=hello"], output: .lines, on: loop)
        var output: [String] = []
        var errors: [String] = []
        var end: ChildProcess.End?
        child.onLine = { source, line in
            #expect(end == nil)
            switch source {
            case .output: output.append(line)
            case .error: errors.append(line)
            }
        }
        child.onEnd = {
            end = $0
            loop.stop()
        }
        #expect(loop.runBounded())
        #expect(output == ["one", "", "no end"])
        #expect(errors == ["hello", "no input"])
        #expect(end == .exited(7))
        #expect(!child.isRunning)
    }

    @Test("a killed child says by which signal, though a child of its own still holds the pipe")
    func aKilledChildSaysByWhichSignal() throws {
        let loop = try EventLoop()
        let child = try ChildProcess("/bin/sh", ["-c", "sleep 3 & echo up; wait"], output: .lines, on: loop)
        var end: ChildProcess.End?
        child.onLine = { _, _ in child.kill() }
        child.onEnd = {
            end = $0
            loop.stop()
        }
        #expect(loop.runBounded())
        #expect(end == .killed(signal: SIGKILL))
        child.terminate()
    }

    @Test("a child with an open input is told one thing after the other")
    func aChildWithAnOpenInputIsToldOneThingAfterTheOther() throws {
        let loop = try EventLoop()
        let script = "while read word; do echo heard $word; [ $word = last ] && exit 3; done; exit 4"
        let child = try ChildProcess("/bin/sh", ["-c", script], input: .open, output: .lines, on: loop)
        var lines: [String] = []
        var end: ChildProcess.End?
        child.onLine = { _, line in
            lines.append(line)
            if lines.count == 1 { #expect(child.write(Array("last\n".utf8))) }
        }
        child.onEnd = {
            end = $0
            loop.stop()
        }
        #expect(child.write(Array("first\n".utf8)))
        #expect(loop.runBounded())
        #expect(lines == ["heard first", "heard last"] && end == .exited(3))
        #expect(!child.write([10]))
    }

    @Test("a child reads all of its input and then its end; one that reads nothing harms nobody")
    func aChildReadsAllOfItsInputAndThenItsEnd() throws {
        let loop = try EventLoop()
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var lines: [String] = []
        var ends = 0
        for script in ["cksum", "exit 0"] {
            let child = try ChildProcess("/bin/sh", ["-c", script], input: bytes, output: .lines, on: loop)
            child.onLine = { lines.append($1) }
            child.onEnd = { end in
                #expect(end == .exited(0))
                ends += 1
                if ends == 2 { loop.stop() }
            }
        }
        #expect(loop.runBounded())
        #expect(lines == ["1971277757 200000"])
        let tooMuch = [UInt8](repeating: 0, count: 1024 * 1024 + 1)
        let error = thrown(SystemError.self) {
            try ChildProcess("/bin/cat", [], input: tooMuch, output: .discarded, on: loop)
        }
        #expect(error?.number == EFBIG)
    }

    @Test("a child does not inherit that our signals are blocked")
    func aChildDoesNotInheritThatOurSignalsAreBlocked() throws {
        var old = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &old)
        SignalSource.blockSignals()
        defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
        let loop = try EventLoop()
        let child = try ChildProcess("/bin/sleep", ["20"], output: .discarded, on: loop)
        var end: ChildProcess.End?
        child.onEnd = {
            end = $0
            loop.stop()
        }
        loop.setTimer(after: .milliseconds(20)) { child.terminate() }
        #expect(loop.runBounded())
        #expect(end == .killed(signal: SIGTERM))
    }

    @Test("a program that is not there is an error that names it")
    func aProgramThatIsNotThereIsAnErrorThatNamesIt() throws {
        let error = thrown(SystemError.self) {
            try ChildProcess("/nowhere/program", [], output: .discarded, on: try EventLoop())
        }
        #expect(error?.number == ENOENT)
        #expect(error?.description == "/nowhere/program: No such file or directory (posix_spawn)")
    }
}

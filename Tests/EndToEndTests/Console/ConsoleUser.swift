import Foundation
import Glibc
import Platform

/// A terminal with a person before it: `howalarming console` in it, or at the other end of a serial line.
final class ConsoleUser {
    private let program: Program
    private let orders: TestSocket
    /// The console, where it runs by itself on the line.
    private(set) var lineConsole: Program?
    /// The line's device.
    let device: String

    /// - Parameters:
    ///   - isLine: a serial line, whose other end does not tell its size
    ///   - answers: this terminal tells where its cursor is
    convenience init(
        _ name: String, at house: Appliance, columns: Int = 80, rows: Int = 24, term: String = "xterm",
        isLine: Bool = false, answers: Bool = true
    ) throws {
        try self.init(
            name, in: house.directory, stateDirectory: house.stateDirectory, columns: columns, rows: rows, term: term,
            isLine: isLine, answers: answers)
    }

    /// Where no daemon may be running.
    init(
        _ name: String, in directory: TestDirectory, stateDirectory: String, columns: Int = 80, rows: Int = 24,
        term: String = "xterm", isLine: Bool = false, answers: Bool = true
    ) throws {
        let pipe = "\(directory.path)/\(name).orders"
        device = "\(directory.path)/\(name).line"
        guard mkfifo(pipe, 0o600) == 0 else { throw HarnessError("no pipe for the keys") }
        orders = try TestSocket(adopting: open(pipe, O_RDWR | O_CLOEXEC))
        let words = ["console", "--state", stateDirectory]
        program = try Program(
            name,
            [
                "-u", "-c", Self.script, isLine ? "line" : "own", device, String(columns), String(rows),
                answers ? "1" : "0",
            ]
                + [Program.path] + words,
            in: directory, environment: ["TERM": term, "TZ": "UTC"], inputFile: pipe, executable: "/usr/bin/python3")
        guard isLine else { return }
        try eventually("the line") { access(device, F_OK) == 0 ? true : nil }
        lineConsole = try Program(
            "\(name)-console", words + ["--tty", device], in: directory, environment: ["TERM": term, "TZ": "UTC"])
    }

    func type(_ keys: String) throws { try type(Array(keys.utf8)) }
    func type(_ bytes: [UInt8]) throws {
        try order("k " + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }

    func resize(columns: Int, rows: Int) throws { try order("s \(columns) \(rows)") }
    /// The cable is pulled and put into another port, which has the same name.
    func replug() throws { try order("h") }

    private func order(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        guard write(orders.descriptor, bytes, bytes.count) == bytes.count else {
            throw HarnessError("nobody takes the keys")
        }
    }

    /// Everything that ever came.
    var output: String { program.output }
    var byteCount: Int { output.utf8.count }
    var glass: Glass { Glass(output) }
    var text: String { glass.text }
    var report: String { "\(text)\n\(program.report)\n\(lineConsole?.report ?? "")" }

    /// Waits until the terminal shows this.
    @discardableResult
    func wait(for words: String..., within span: Duration = .patience) throws -> String {
        try eventually(within: span, "\(words) on the console; \(report)") {
            let shown = text
            return words.allSatisfy { shown.contains($0) } ? shown : nil
        }
    }

    /// Waits until what came, page under page, contains this behind the place given.
    @discardableResult
    func wait(forPrinted words: String, after place: Int = 0, within span: Duration = .patience) throws -> String {
        try eventually(within: span, "\(words) printed; \(report)") {
            let printed = String(decoding: Array(output.utf8).dropFirst(place), as: UTF8.self)
            return printed.contains(words) ? printed : nil
        }
    }

    func waitForExit() throws -> Int32 { try program.waitForExit() }
    var isRunning: Bool { program.isRunning && lineConsole?.isRunning ?? true }

    private static let script = """
        import fcntl, os, pty, select, struct, subprocess, sys, termios
        mode, place = sys.argv[1], sys.argv[2]
        columns, rows, answers = map(int, sys.argv[3:6])
        def plug():
            ours, theirs = pty.openpty()
            if mode == 'line':
                if os.path.lexists(place): os.unlink(place)
                os.symlink(os.ttyname(theirs), place)
            else:
                fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
            return ours, theirs
        ours, theirs = plug()
        child = None
        if mode == 'own':
            child = subprocess.Popen(sys.argv[6:], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
            os.close(theirs)
        waiting = b''
        while True:
            ready, _, _ = select.select([ours, 0], [], [], 120)
            if not ready: break
            if ours in ready:
                try: part = os.read(ours, 65536)
                except OSError: break
                if not part: break
                os.write(1, part)
                if mode == 'line' and answers:
                    for _ in range(part.count(b'\\x1b[6n')): os.write(ours, b'\\x1b[%d;%dR' % (rows, columns))
            if 0 in ready:
                waiting += os.read(0, 65536)
                *lines, waiting = waiting.split(b'\\n')
                for line in lines:
                    words = line.decode().split()
                    if words[0] == 'k': os.write(ours, bytes.fromhex(words[1]))
                    if words[0] == 's':
                        columns, rows = int(words[1]), int(words[2])
                        if mode == 'own':
                            fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
                    if words[0] == 'h':
                        os.close(ours)
                        os.close(theirs)
                        ours, theirs = plug()
        if child: sys.exit(child.wait(10))
        """
}

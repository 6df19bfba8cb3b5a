import PhoneProtocol

/// The work queue beanstalkd, and the client greenstalk as a program written for HowAlarming.
final class QueueProcess {
    let port: UInt16
    private let directory: TestDirectory
    private let program: Program

    init(in directory: TestDirectory) throws {
        self.directory = directory
        let (held, port) = try TestSocket.bind(listening: false)
        held.close()
        self.port = port
        let program = try Program(
            "beanstalkd", ["-l", "127.0.0.1", "-p", String(port)], in: directory,
            environment: ["LD_LIBRARY_PATH": Independents.libraries],
            executable: Independents.program("/usr/bin/beanstalkd"))
        self.program = program
        try eventually("beanstalkd takes connections; \(program.report)") {
            (try? LineClient(port: port)) != nil ? true : nil
        }
    }

    private func python(_ lines: String) throws -> [String] {
        let script = "import greenstalk, json\nc = greenstalk.Client(('127.0.0.1', \(port)))\n" + lines
        let result = try Program.run(["-c", script], in: directory, executable: Independents.python)
        guard result.status == 0 else { throw HarnessError("greenstalk: \(result.errors)") }
        return result.lines
    }

    /// Puts jobs into the tube `commands`.
    func put(_ jobs: String...) throws {
        let list = JSON.array(jobs.map { .string($0) }).text
        _ = try python("c.use('commands')\nfor body in json.loads(\(Self.quoted(list))): c.put(body)")
    }

    /// A JSON text is a text of Python, too, once it is JSON again.
    private static func quoted(_ text: String) -> String { JSON.string(text).text }

    /// Takes what is in the tube `cli`.
    func take() throws -> [JSON] {
        let lines = try python(
            """
            c.watch('cli'); c.ignore('default')
            while True:
                try: job = c.reserve(timeout=0)
                except greenstalk.TimedOutError: break
                print(job.body); c.delete(job)
            """)
        return try lines.map { try JSON(parsing: $0) }
    }

    /// Numbers of the tube `commands`: jobs that wait, that were put aside, and that were dealt with.
    func commands() throws -> (waiting: Int64, buried: Int64, deleted: Int64) {
        let lines = try python("print(json.dumps(c.stats_tube('commands')))")
        let stats = try JSON(parsing: lines.joined())
        func number(_ key: String) -> Int64 { stats[key]?.integerValue ?? -1 }
        return (
            number("current-jobs-ready") + number("current-jobs-reserved"), number("current-jobs-buried"),
            number("cmd-delete")
        )
    }
}

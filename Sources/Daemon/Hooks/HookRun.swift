import AlarmModel
import Glibc
import PhoneLink
import PhoneProtocol
import Platform
import YAMLConfiguration

/// Runs one program for one request. Confined to the loop's thread.
final class HookRun {
    private let loop: EventLoop
    private let report: (ProgramAnswer) -> Void
    private var child: ChildProcess?
    private var timer: TimerToken?
    private var isOvertime = false

    /// - `directory`: the only place where programs are looked for
    /// - `report`: called once, later
    init(_ line: [UInt8], directory: String, on loop: EventLoop, report: @escaping (ProgramAnswer) -> Void) {
        self.loop = loop
        self.report = report
        begin(line, in: directory)
    }

    private func begin(_ line: [UInt8], in directory: String) {
        guard let request = HookRequest(line) else { return refuse("the request is not as it should be") }
        guard ProgramAnswer.isProgramName(request.program) else { return refuse("its name is none of a file") }
        let path = "\(directory)/\(request.program)"
        var status = stat()
        guard stat(path, &status) == 0 else {
            // On the appliance the reason stands beside its place.
            let why = try? FileReader.read(path + HookFile.refusalSuffix, limit: 1024)
            return refuse(why.map { String(decoding: $0, as: UTF8.self) } ?? "there is no such file in \(directory)")
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return refuse("it is no file") }
        // Whoever may write it could make us run anything.
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else { return refuse("others may write it; chmod go-w") }
        guard access(path, X_OK) == 0 else { return refuse("it may not be run; chmod a+rx") }
        start(path, request)
    }

    private func start(_ path: String, _ request: HookRequest) {
        do throws(SystemError) {
            let child = try ChildProcess(
                path, [], environment: ["HOWALARMING_MESSAGE=\(request.message)"], input: request.event.utf8 + [0x0A],
                output: .discarded, ownGroup: true, on: loop)
            child.onEnd = { end in self.ended(end) }
            self.child = child
            timer = loop.setTimer(after: .seconds(request.limit)) {
                self.isOvertime = true
                self.child?.kill()
            }
        } catch {
            // Whoever writes the file is done in a moment.
            if error.number == ETXTBSY { return loop.later { self.report(.busy) } }
            refuse(error.description)
        }
    }

    private func ended(_ end: ChildProcess.End) {
        if let timer { loop.cancel(timer) }
        child = nil
        switch end {
        case _ where isOvertime: report(.overtime)
        case .exited(let status): report(.exited(Int(status)))
        case .killed(let signal): report(.killed(signal: Int(signal)))
        }
    }

    private func refuse(_ why: String) { loop.later { self.report(.refused(why)) } }

    /// Nobody wants the answer any more: the program and its children are killed.
    func cancel() { child?.kill() }
}

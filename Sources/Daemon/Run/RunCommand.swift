import AlarmModel
import ApplianceCore
import Card
package import CommandKit
import EventStore
import Glibc
import PhoneProtocol
import Platform
import SoftwareUpdate
import YAMLConfiguration

/// `howalarming run`: the daemon.
package struct RunCommand: Command {
    var configurationFile: String
    var stateDirectory: String

    /// Runs until the daemon is told to stop.
    package func run(on console: Console) -> Int32 {
        SignalSource.blockSignals()
        let log = LogWriter()
        let result = ConfigurationReader.read(file: configurationFile, files: SystemConfigurationFiles())
        for problem in result.problems.prefix(Configuration.problemLimit) {
            log.write(LogEntry(problem.severity == .error ? .error : .warning, problem.description))
        }
        if result.problems.count > Configuration.problemLimit {
            let more = result.problems.count - Configuration.problemLimit
            log.write(LogEntry(.warning, "and \(more) more; \(Hint.check) shows all of them"))
        }
        guard let configuration = result.configuration else {
            log.write(
                LogEntry(
                    .error,
                    "the configuration has errors; mend them and check with \(Hint.check.with(configurationFile))"))
            return 1
        }
        do {
            try StateFile.makeDirectory(stateDirectory)
            let lock = try StateLock(directory: stateDirectory)
            defer { lock.release() }
            finishRestoring(log)
            SavedConfiguration.remember(configurationFile, in: stateDirectory)
            return try mount(configuration, log, console)
        } catch {
            log.write(LogEntry(.error, "cannot start: \(error)"))
            return 1
        }
    }

    private func finishRestoring(_ log: LogWriter) {
        switch RestoreEnd.reach(in: stateDirectory, at: SystemClock.wallTime()) {
        case .nothing: break
        case .restored: log.write(LogEntry(.warning, "the state of a backup was brought back"))
        case .waiting(let why):
            log.write(LogEntry(.error, "the backup is not brought back, the next start tries again: \(why)"))
        }
    }

    private func mount(_ configuration: Configuration, _ log: LogWriter, _ console: Console) throws -> Int32 {
        let loop = try EventLoop()
        let crashes = CrashRecord(directory: stateDirectory)
        let isSafeMode = crashes.recent >= CrashRecord.limit
        let seed = Random.bytes(16)
        let bootMark = seed.prefix(4).map { byte in Self.hexadecimal(byte) }.joined()
        var options = Journal.Options(run: bootMark)
        options.ignoresSnapshot = isSafeMode
        let disk = try Disk(directory: stateDirectory, options: options, loop: loop)
        // It is the one part that nothing needs: after three crashes it is not there to be their cause.
        let recorder = isSafeMode ? nil : recorder(configuration, run: bootMark, log)
        let shell = Shell(
            configuration: configuration, configurationFile: configurationFile, disk: disk, loop: loop, log: log,
            vault: KeyVault(crypto: OpenSSLCrypto()), pushKey: StoredPushKey(directory: stateDirectory),
            recorder: recorder)
        disk.onCommitted = { shell.feed(.committed(upTo: $0, last: $1)) }
        disk.onFailed = { shell.feed(.commitFailed(from: $0, upTo: $1, $2)) }
        let signals = try SignalSource(on: loop) { shell.caught($0) }
        let steps = try ClockStepWatch(on: loop) {}
        let memory = MemoryReturn(on: loop)
        let listener = try ControlListener(directory: stateDirectory, on: loop, log: log) { shell.accepted($0) }
        var start = Start(
            configuration: configuration, seed: seed.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }, bootMark: bootMark,
            buildTime: WallTime(milliseconds: Build.time * 1000))
        start.mayRestart = PlannedRestart().isAllowed
        start.mayReboot = RebootRequest().isPossible
        start.mayUpdate = UpdateRequest.isPossible()
        start.slots = SlotCommand.written()
        start.release = (try? UpdatePlaces().installed())?.version
        start.watchdog = ServiceNotifier.watchdogInterval
        if isSafeMode { start.suspects = crashes.suspects }
        if crashes.recent > 0 { start.findings.append(.crashed) }
        if let finding = PINResetFile.take(besides: configurationFile) { start.findings.append(finding) }
        StartReading.begin(
            start, from: disk, on: loop, crashes: isSafeMode ? crashes.recent : nil,
            late: { report in
                log.write(LogEntry(.warning, "the store was opened after the start had waited for it"))
                for finding in report.damage { shell.feed(.found(finding)) }
            }, then: { shell.start($0, $1) })

        #if SABOTAGE
            if let freeze = DeliberateFreeze.asked { freeze.set(on: loop, shell) }
            if let bug = DeliberateBug.asked { shell.sabotage(bug) }
        #endif

        let isWatched = isatty(STDOUT_FILENO) == 1
        if isWatched { console.print([greeting(configuration.siteName)]) }
        loop.run()
        if isWatched { console.print(["Ending: what waits is written."]) }

        listener.close()
        signals.cancel()
        steps.cancel()
        memory.cancel()
        if !disk.stop(within: .seconds(5)) {
            log.write(LogEntry(.error, "the disk did not answer while stopping; the last events may be missing"))
        }
        recorder?.stop()
        return shell.exitStatus
    }

    /// For whoever has started it in a terminal.
    func greeting(_ site: String) -> String {
        let usual = CommandSyntax.stateDirectory(environment: nil)
        let place = stateDirectory == usual ? "" : "--state \(stateDirectory)"
        return "Watching \(Text.printable(site)). In another terminal: \(Hint.status.with(place)). Ctrl-C ends it."
    }

    private func recorder(_ configuration: Configuration, run: String, _ log: LogWriter) -> FlightRecorder? {
        do {
            return try FlightRecorder(
                configuration, stateDirectory: stateDirectory, run: run, version: Product.version)
        } catch {
            log.write(LogEntry(.warning, "what happens is not recorded: \(error)"))
            return nil
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }
}

extension RunCommand {
    package static let entry = CommandEntry(
        "run", in: .daemon, brief: "run the daemon",
        """
        Runs the daemon in the foreground until it is told to stop (SIGTERM). SIGHUP reads the configuration again.
        With --modem-network it is another, small daemon, which takes no orders: it puts the addresses and routes that
        ModemManager tells on the modem's interface, through systemd-networkd, as the unit
        howalarming-modem-network.service may and the daemon may not.

        --config FILE    the configuration (\(CommandSyntax.configurationFile))
        --modem-network  care for the modem's interface instead

        howalarming run --config howalarming.yaml --state state
        """
    ) { given throws(UsageError) in
        if given.has("--modem-network") {
            guard given.value("--config") == nil else { throw given.misuse("--modem-network takes no configuration") }
            return ModemNetworkCommand()
        }
        return RunCommand(
            configurationFile: given.value("--config") ?? CommandSyntax.configurationFile,
            stateDirectory: given.stateDirectory)
    }
}

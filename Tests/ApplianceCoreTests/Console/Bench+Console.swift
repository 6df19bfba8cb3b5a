import AlarmModel
import ApplianceCore

/// A console on the bench.
extension Bench {
    static let pin = Secret("135790")
    static let otherPIN = Secret("246801")

    /// A PIN that is kept as it is.
    static func derive(_ job: PINJob) -> PINAnswer {
        switch job {
        case .make(let pin): .made(kept(pin))
        case .check(let pin, let kept): .matches(Array(pin.revealed.utf8) == kept.hash)
        }
    }

    static func kept(_ pin: Secret) -> ConsolePIN {
        ConsolePIN(logN: 14, blockSize: 8, parallel: 1, salt: [1], hash: Array(pin.revealed.utf8))
    }

    /// Up, with a PIN, and a console that has begun as client 1.
    static func withConsole(
        _ configuration: Configuration = Bench.configuration(), wrongTries: Int = 0, untold: Int = 0
    ) -> Bench {
        var bench = Bench(configuration)
        let record = ConsoleRecord(pin: kept(pin), wrongTries: wrongTries, untoldTries: untold)
        bench.start(configuration) { $0.snapshot = Snapshot(console: record) }
        bench.logIn()
        bench.ask(.console(.begin))
        bench.forget()
        return bench
    }

    mutating func console(_ request: ConsoleRequest, as number: UInt64 = 1) -> ConsoleReport? {
        ask(.console(request), as: number)
        guard case .console(let report)? = answers(number).last else { return nil }
        return report
    }

    mutating func unlock(_ pin: Secret = Bench.pin, as number: UInt64 = 1) -> ConsoleReport.Answer? {
        console(.unlock(pin: pin), as: number)?.answer
    }
}

import AlarmModel
import Card
import Glibc
import Platform

/// What the console shows of the machine itself, daemon or not.
struct ConsoleMachine: Equatable, Sendable {
    var hostName = ""
    var kernel = ""
    /// Since the machine started.
    var uptime: Duration = .zero
    /// Of the hottest place, in tenths of a degree Celsius; nil where the machine has no sensor.
    var temperature: Int?
    /// nil: this board does not say.
    var isVoltageLow: Bool?
    var isClockSynchronised = false
    /// Bytes that are free for the state directory, and its size; nil when that cannot be asked.
    var freeBytes: Int64?
    var totalBytes: Int64?
    /// What the start found wrong with the place where everything is kept, in words; nil where it is well.
    var dataProblem: String?
    var network = InterfaceList()
    /// What came of the owner's card; nil where there is none.
    var card: CardReport?
    /// Of the last backup that was to be brought back; nil where none was, or where somebody has read it.
    var restore: RestoreReport?

    init() {}

    /// - Parameters:
    ///   - thermal: where the kernel shows its sensors
    ///   - data: where rootfs/usr/lib/howalarming/mount-card says what is wrong
    static func now(
        stateDirectory: String, thermal: String = "/sys/class/thermal", data: String = "/run/howalarming-data/problem"
    ) -> ConsoleMachine {
        var machine = ConsoleMachine()
        var names = utsname()
        if uname(&names) == 0 {
            machine.hostName = text(of: names.nodename)
            machine.kernel = "\(text(of: names.sysname)) \(text(of: names.release)) \(text(of: names.machine))"
        }
        machine.uptime = SystemClock.bootTime() - .zero
        machine.temperature = temperature(in: thermal)
        machine.isVoltageLow = SupplyVoltage.isLow()
        machine.isClockSynchronised = SystemClock.isSynchronised
        var space = statvfs()
        if statvfs(stateDirectory, &space) == 0 {
            machine.freeBytes = product(space.f_bavail, space.f_frsize)
            machine.totalBytes = product(space.f_blocks, space.f_frsize)
        }
        if let bytes = try? FileReader.read(data, limit: 1024) {
            machine.dataProblem = String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
        }
        machine.network = InterfaceList.now()
        machine.card = CardReport.kept(in: stateDirectory)
        machine.restore = RestoreReport.kept(in: stateDirectory)
        return machine
    }

    private static func product(_ blocks: UInt, _ size: UInt) -> Int64? {
        let (bytes, overflow) = blocks.multipliedReportingOverflow(by: size)
        return overflow ? nil : Int64(exactly: bytes)
    }

    /// `thermal_zone0/temp` and so on, in thousandths of a degree.
    private static func temperature(in directory: String) -> Int? {
        (0..<16).compactMap { zone -> Int? in
            guard let bytes = try? FileReader.read("\(directory)/thermal_zone\(zone)/temp", limit: 64) else {
                return nil
            }
            let number = Int(String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self))
            // A sensor that is off reads absurd values.
            return number.flatMap { (-60_000...200_000).contains($0) ? $0 / 100 : nil }
        }.max()
    }

    private static func text<Field>(of field: Field) -> String {
        withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

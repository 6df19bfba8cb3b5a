import Card
import Platform
import SoftwareUpdate

/// What the console shows of versions: the slots, bundles on sticks, and how far an update is.
struct ConsoleSoftware: Hashable, Sendable {
    /// A bundle on a stick, as it calls itself: nothing of it is checked yet.
    struct Bundle: Hashable, Sendable {
        var path: String
        var version: String
        /// Not newer than what runs.
        var isOlder: Bool
    }

    var installed: ReleaseDescription?
    var slots: SlotReport?
    var status: UpdateStatus?
    private(set) var bundles: [Bundle] = []
    /// Read once, while the stick is plugged in.
    private var known: [String] = []

    /// Bundles that are offered.
    private static let most = 9

    init(installed: ReleaseDescription? = nil, slots: SlotReport? = nil, bundles: [Bundle] = []) {
        self.installed = installed
        self.slots = slots
        self.bundles = bundles
    }

    /// - Parameter sticks: the directory under which sticks are mounted
    mutating func look(sticks: String = "/run/howalarming-usb", places: UpdatePlaces = UpdatePlaces()) {
        if installed == nil { installed = try? places.installed() }
        slots = SlotCommand.written()
        status = places.status.flatMap { try? FileReader.read($0, limit: 16 * 1024) }
            .flatMap { UpdateStatus(file: $0) }
        let found = DirectoryList.names(in: sticks).flatMap { stick in
            DirectoryList.names(in: "\(sticks)/\(stick)").filter { $0.hasSuffix(".bundle") && !$0.hasPrefix(".") }
                .map { "\(sticks)/\(stick)/\($0)" }
        }
        guard found != known else { return }
        known = found
        bundles = []
        for path in found where bundles.count < Self.most {
            guard let file = try? BundleFile(path), let header = try? file.header() else { continue }
            let release = header.manifest.release
            bundles.append(
                Bundle(
                    path: path, version: release.version,
                    isOlder: installed.map { release.number <= $0.number } ?? false))
        }
    }
}

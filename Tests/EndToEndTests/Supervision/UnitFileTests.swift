import Foundation
import Testing

@Suite(
    "the units on the device",
    .enabled(if: FileManager.default.isExecutableFile(atPath: Units.analyzer), "systemd-analyze is not installed"))
struct UnitFileTests {
    /// The exposure of each unit as systemd-analyze counts it (0 none … 10), in tenths; none may get worse unnoticed.
    private static let scores = [
        "howalarming.service": 13, "howalarming-console@.service": 12, "howalarming-hook@.service": 14,
        "howalarming-fetch@.service": 13, "howalarming-picture@.service": 13,
        "howalarming-history@.service": 13, "howalarming-speech@.service": 7,
        "howalarming-modem-network.service": 18,
        "howalarming-card.service": 19, "howalarming-journal.service": 13, "howalarming-trial.service": 13,
        "howalarming-update.service": 13, "howalarming-good.service": 13, "howalarming-slot.service": 11,
        "howalarming-reboot.service": 14, "howalarming-relief.service": 14, "howalarming-retry.service": 15,
        "howalarming-stick.service": 6, "howalarming-setup@.service": 16,
        "howalarming-notices.service": 13, "howalarming-damaged.service": 13,
    ]
    /// What is mounted has to be seen by other units: it has no namespace to be confined in. It runs one script.
    private static let mounting = ["howalarming-stick-mount.service": 42]
    private static let names = Array(scores.merging(mounting) { first, _ in first }.keys).sorted()

    @Test("every service is known here, and the daemon's exposure is 2.0 at the most")
    func everyServiceIsKnownHere() throws {
        let services = try Units.names().filter { $0.hasSuffix(".service") }
        #expect(services.sorted() == Self.names)
        #expect(Self.scores.values.allSatisfy { $0 <= 20 })
    }

    @Test("no unit's exposure is above what is recorded", arguments: names)
    func noUnitsExposureIsAboveWhatIsRecorded(_ name: String) throws {
        let limit = try #require(Self.scores[name] ?? Self.mounting[name])
        let directory = try TestDirectory()
        let words = ["security", "--offline=true", "--no-pager", "--threshold=\(limit)", "\(Units.directory)/\(name)"]
        let result = try Program.run(words, in: directory, executable: Units.analyzer)
        #expect(result.status == 0, "\(result.lines.last ?? result.errors)")
    }

    @Test("the units are well-formed: nothing to say but that the program is not installed here")
    func theUnitsAreWellFormed() throws {
        let directory = try TestDirectory()
        // A template is looked at through one of its instances.
        let files = try Units.names().filter { !$0.hasSuffix(".d") }
        let names = files.map {
            $0.replacingOccurrences(of: "@.", with: "@ttyS0.")
        }
        let paths = names.filter { !$0.contains("hook@") }.map { "\(Units.directory)/\($0)" }
        let result = try Program.run(["verify", "--man=no"] + paths, in: directory, executable: Units.analyzer)
        let complaints = result.errors.split(separator: "\n").filter { line in
            !["/usr/bin/howalarming", "/usr/lib/howalarming/stick", "/usr/lib/howalarming/keep-log"]
                .contains { program in line.contains("\(program) is not executable") }
        }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test(
        "the card is taken once it is mounted, before the network, the firewall and the daemon, and may do no more than that takes"
    )
    func theCardIsTakenOnceItIsMounted() throws {
        let unit = try Units.text("howalarming-card.service").split(separator: "\n")
        // Not part of local-fs.target's order (systemd.mount).
        let after = try #require(unit.first { $0.hasPrefix("After=") })
        #expect(after.dropFirst("After=".count).split(separator: " ").contains("card.mount"))
        let before = try #require(unit.first { $0.hasPrefix("Before=") })
        for name in [
            "systemd-networkd", "systemd-timesyncd", "nftables", "howalarming", "wpa_supplicant@wlan0",
        ] {
            #expect(before.contains("\(name).service"), "\(name)")
        }
        for line in [
            "Type=oneshot", "CapabilityBoundingSet=CAP_SYS_ADMIN CAP_CHOWN CAP_DAC_OVERRIDE",
            "ReadWritePaths=-/card /var/lib/howalarming",
        ] {
            #expect(unit.contains(Substring(line)), "\(line)")
        }
        let dropIn = try Units.text("howalarming.service.d/card.conf")
        #expect(dropIn.contains("ConditionPathExists=/var/lib/howalarming/card/howalarming.yaml\n"))
        #expect(dropIn.contains("--config /var/lib/howalarming/card/howalarming.yaml --state /var/lib/howalarming\n"))
        let wifi = try Units.text("wpa_supplicant@wlan0.service.d/howalarming.conf")
        #expect(wifi.contains("ConditionPathExists=/run/howalarming-network/wpa_supplicant-wlan0.conf\n"))
    }

    @Test("the daemon's unit says what the daemon relies on")
    func theDaemonsUnitSaysWhatTheDaemonReliesOn() throws {
        let unit = try Units.text("howalarming.service")
        for line in [
            "Type=notify", "WatchdogSec=30", "Restart=always", "RestartSec=500ms", "StateDirectory=howalarming",
            "RuntimeDirectory=howalarming", "RuntimeDirectoryPreserve=restart", "CapabilityBoundingSet=",
            "NoNewPrivileges=yes", "ProtectSystem=strict", "MemoryDenyWriteExecute=yes",
        ] {
            #expect(unit.split(separator: "\n").contains(Substring(line)), "\(line)")
        }
        // Eight starts that hang, each until it is killed, end within the interval: else nothing ever restarts the machine.
        #expect(unit.contains("\nStartLimitBurst=8\n") && unit.contains("\nStartLimitIntervalSec=15min\n"))
        #expect(unit.contains("\nTimeoutStartSec=60\n") && unit.contains("\nTimeoutStopSec=15\n"))
        // From the hang to READY in 45 s (R13): silence, SIGABRT that is not heeded, the pause before the next start.
        let relief = try Units.text("howalarming-relief.timer")
        #expect(relief.contains("OnBootSec=1h"), "one restart of the machine an hour")
    }
}

/// The unit files of this source tree.
enum Units {
    static let analyzer = "/usr/bin/systemd-analyze"
    /// Of the repository.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    static let directory = "\(root)/rootfs/usr/lib/systemd/system"

    static func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() }
    static func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)
    }
}

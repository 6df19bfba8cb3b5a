import Foundation
import Glibc
import Testing

@Suite(
    "the owner's card, mounted read-only",
    .enabled(if: geteuid() == 0 && MountNamespace.isPossible, "needs root and mount namespaces"))
struct CardMountTests {
    private static let configuration = """
        site: {name: Test, time_zone: UTC}
        panel: {host: 192.0.2.1, password: user}

        """

    /// Runs a script in a mount namespace of its own, in which `card` is mounted read-only with nosuid and nodev.
    private static func run(_ script: String, in directory: TestDirectory) throws
        -> Program.Result
    {
        let place = directory.path
        let words = [
            "cd '\(place)'", "mkdir -p card state run", "mount -t tmpfs -o nosuid,nodev none card",
            "cp howalarming.yaml card/", "mount -o remount,ro card", script,
        ]
        return try Program.run(
            ["-m", "/bin/sh", "-ec", words.joined(separator: " && ")], in: directory, executable: MountNamespace.program
        )
    }

    @Test(
        "it is written in the moment of the import only, keeps its flags, and the files are the data directory's owner's"
    )
    func itIsWrittenInTheMomentOfTheImportOnly() throws {
        let directory = try TestDirectory()
        _ = try directory.write("howalarming.yaml", Self.configuration)
        let command = "'\(Program.path)' card --card card --data state/card --network-out run"
        let result = try Self.run(
            "chown 4242:4343 state && chmod 700 state && \(command) && cat card/howalarming.yaml "
                + "&& stat -c '%n %u:%g %a' state/card state/card/* && grep ' '\"$PWD\"/card' ' /proc/mounts "
                + "&& ! touch card/x", in: directory)
        #expect(result.status == 0, "\(result.output) \(result.errors)")
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.contains("the configuration of the card holds"))
        #expect(lines.contains("panel: {host: 192.0.2.1, password: ''}"))
        for line in [
            "state/card 4242:4343 700", "state/card/howalarming.yaml 4242:4343 600",
            "state/card/howalarming.secrets.yaml 4242:4343 600", "state/card/card-report.json 4242:4343 600",
        ] {
            #expect(lines.contains(line), "\(line) in \(lines)")
        }
        #expect(lines.contains { $0.contains(" tmpfs ro,nosuid,nodev") }, "\(lines)")
        #expect(result.errors.contains("Read-only file system"))
    }

    @Test("a card that may not be remounted is left as it is, and what it says holds")
    func aCardThatMayNotBeRemountedIsLeftAsItIs() throws {
        let directory = try TestDirectory()
        _ = try directory.write("howalarming.yaml", Self.configuration)
        let command = "'\(Program.path)' card --card card --data state/card --network-out run --no-remount"
        let result = try Self.run(
            "{ \(command) || true; } && cat card/howalarming.yaml state/card/howalarming.yaml", in: directory)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("Read-only file system (open); secrets may still be on it"), "\(result.output)")
        #expect(result.output.contains("password: user}"))
        #expect(result.output.contains("password: ''}"))
    }
}

/// A place where a test may mount, which ends with its process.
private enum MountNamespace {
    static let program = "/usr/bin/unshare"

    static let isPossible: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["-m", "/bin/true"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}

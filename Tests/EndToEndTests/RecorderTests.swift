import Foundation
import Glibc
import Testing

@Suite("the flight recorder", .serialized, .timeLimit(.minutes(10)))
struct RecorderTests {
    private static let password = "Kp4xZ9"
    private static let master = "739146"
    private static let given = "864209"

    private static func house() throws -> Appliance {
        var configuration = Configuration()
        configuration.password = password
        configuration.masterCode = master
        configuration.pollInterval = "1s"
        let house = try Appliance(
            configuration, panelArguments: ["--password", password, "--master-code", master])
        try house.start()
        try house.waitUntilUp()
        return house
    }

    private static func day(_ house: Appliance) throws {
        try house.house("open 3", "close 3")
        #expect(try house.run("arm", "away").status == 0)
        let file = try house.directory.write("code", given + "\n")
        #expect(try house.run("disarm", "--code-file", file).status == 1)
        #expect(try house.run("disarm").status == 0)
        try house.house("keypad 1 code 0000")
    }

    private static func replay(_ house: Appliance, _ words: String...) throws -> Program.Result {
        try house.command(["replay"] + words)
    }

    @Test("what was recorded up to kill -9 and up to SIGABRT replays to the same orders, and holds no secret")
    func whatWasRecordedUpToKill9AndUpToSIGABRTReplaysToTheSame() throws {
        let house = try Self.house()
        try Self.day(house)
        // A thread of its own writes the recording, some time after the orders.
        try eventually("the day is in the recording") {
            try Self.replay(house, "--step").output.contains("\"disarm\"") ? true : nil
        }
        house.kill9()
        let killed = try Self.replay(house)
        #expect(killed.status == 0, "\(killed.output)\(killed.errors)")
        #expect(killed.output.contains("1 segment: the same orders as then"), "\(killed.output)")
        #expect(!killed.output.contains("the recording ends here"), "\(killed.output)")
        // What the day did is in it.
        let steps = try Self.replay(house, "--step")
        #expect(steps.output.contains("\"disarm\"") && steps.output.contains("run "), "\(steps.output.suffix(2000))")

        try house.start()
        try house.waitUntilUp()
        try house.house("open 1")
        try eventually("the open door is in the recording") {
            try Self.replay(house, "--step").output.contains("609001") ? true : nil
        }
        house.daemon?.signal(SIGABRT)
        _ = try eventually("it has ended") { house.daemon?.isRunning == false ? true : nil }
        let aborted = try Self.replay(house)
        #expect(aborted.status == 0, "\(aborted.output)\(aborted.errors)")
        #expect(aborted.output.contains("2 segments: the same orders as then"), "\(aborted.output)")
        let state = try Self.replay(house, "--show-state", "--step")
        #expect(state.output.contains("\"session\""))

        let directory = "\(house.stateDirectory)/recorder"
        let segments = try FileManager.default.contentsOfDirectory(atPath: directory)
        #expect(segments.count == 2)
        for name in segments {
            let content = FileManager.default.contents(atPath: "\(directory)/\(name)") ?? Data()
            for secret in [Self.password, Self.master, Self.given] {
                #expect(content.range(of: Data(secret.utf8)) == nil, "\(secret) in \(name)")
                #expect(!state.output.contains(secret) && !steps.output.contains(secret))
            }
        }
    }

    @Test("a damaged recording is told with status 65, and the archive for a bug report has the recording")
    func aDamagedRecordingIsToldWithStatus65() throws {
        let house = try Self.house()
        try Self.day(house)
        #expect(try house.stop() == 0)
        let archive = "\(house.directory.path)/support.tar"
        #expect(try house.command(["support", archive, "--config", house.configurationFile]).status == 0)
        let content = FileManager.default.contents(atPath: archive) ?? Data()
        #expect(content.range(of: Data("howalarming-support/recorder/segment-1.rec".utf8)) != nil)
        #expect(content.range(of: Data(Self.master.utf8)) == nil && content.range(of: Data(Self.password.utf8)) == nil)

        let path = "\(house.stateDirectory)/recorder/segment-1.rec"
        var bytes = FileManager.default.contents(atPath: path) ?? Data()
        bytes[bytes.count - 3] ^= 4
        #expect(FileManager.default.createFile(atPath: path, contents: bytes))
        let result = try Self.replay(house, path)
        #expect(result.status == 65, "\(result.output)")
        #expect(result.output.contains("checksum"), "\(result.output)")
        #expect(try house.command(["replay", "\(house.directory.path)/nothing"]).status == 65)
        #expect(try house.command(["replay", "--from", "x"]).status == 64)
    }
}

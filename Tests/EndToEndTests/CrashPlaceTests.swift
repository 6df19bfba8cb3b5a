import Foundation
import Testing

@Suite("a crash says where it was", .timeLimit(.minutes(5)))
struct CrashPlaceTests {
    static let tool = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("tools/crash-places").path

    @Test("the places that a crash writes into the log have names again with the file that a release keeps")
    func thePlacesOfACrashHaveNamesAgain() throws {
        var configuration = Configuration()
        // Nobody is there; that it calls is enough.
        configuration.channels = ["ntfy:", "  server: 'http://127.0.0.1:9'"]
        let house = try Appliance(configuration)
        house.environment["HOWALARMING_CRASH"] = "ntfy"
        let daemon = try house.spawnDaemon()
        let status = try daemon.waitForExit()
        #expect(status > 128)
        #expect(daemon.errors.contains("HowAlarming 1.0.0-dev crashed by signal \(status - 128) at "))

        let symbols = "\(house.directory.path)/symbols.xz"
        func tool(_ arguments: String..., input: String? = nil) throws -> Program.Result {
            try Program.run(
                arguments, in: house.directory, input: input, executable: Self.tool, within: .seconds(120))
        }
        let made = try tool("--make", Program.path, Program.path, symbols)
        #expect(made.status == 0, "\(made.errors)")
        let told = try tool(symbols, input: daemon.errors)
        #expect(told.status == 0, "\(told.errors)")
        // The function that crashes on purpose, and the command that runs the daemon.
        #expect(told.output.contains("CrashRecord.begins("), "\(told.output)")
        #expect(told.output.contains("RunCommand."), "\(told.output)")
    }
}

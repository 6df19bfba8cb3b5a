import Foundation
import PhoneProtocol
import Testing

/// Counts that depend on no machine's speed.
@Suite(
    "what an alarm costs",
    .enabled(if: SystemCallTrace.isPossible, "here only root may watch another process"),
    .serialized, .timeLimit(.minutes(5)))
struct AlarmCostTests {
    @Test(
        "one sync, one turn of the loop and few system calls lie between the panel's line and the push, cameras or not",
        arguments: [0, 4])
    func fewSystemCallsLieBetweenTheLineAndThePush(cameras: Int) throws {
        let takers = try TestDirectory()
        // They take every connection and never answer.
        let hanging = try (0..<cameras).map { _ in try TestSocket.bind() }
        let socket = "\(takers.path)/taker"
        let manager = try HouseServer.camera("none", socket: socket, in: takers)
        let house = try PhoneHouse.running { configuration, _ in
            guard !hanging.isEmpty else { return }
            configuration.channels =
                ["cameras:"] + hanging.map { "  Camera \($0.1): {url: 'http://127.0.0.1:\($0.1)/'}" }
                + ["pictures: {socket: '\(socket)'}"]
        }
        let anna = try house.phone(of: "Anna")
        // The first one finds what later ones have at hand.
        try house.panic()
        try anna.waitForLine("alarm 625")
        try house.calm()
        try anna.waitForLine(" 650 ")
        try eventually("nothing waits any more") { try house.phones()["waiting"] == .integer(0) ? true : nil }
        let trace = try SystemCallTrace(of: try #require(house.house.daemon), in: house.directory)
        try house.house.house("key fire")
        try anna.waitForLine("alarm 621")
        let way = try #require(AlarmWay(try trace.end(), code: "621"), "\(house.directory.read("system-calls"))")
        #expect(way.diskCalls.count { ["fdatasync", "fsync", "sync"].contains($0.name) } == 1)
        // Two more pages than an alarm alone writes: the panel's next lines may be in the same commit.
        #expect(way.diskCalls.count <= 24, "\(way.diskCalls.map(\.text))")
        #expect(way.turns <= 1)
        #expect(way.loopCalls.count <= 6, "\(way.loopCalls.map(\.text))")
        for (camera, _) in hanging {
            _ = try eventually("it is asked; \(manager.program.report)") { try camera.accept() }
        }
    }
}

/// What lies between the panel's line and the bytes for the phone.
private struct AlarmWay {
    typealias Call = SystemCallTrace.Call

    /// Of the thread that commits, until it tells the loop.
    var diskCalls: [Call]
    /// Of the loop, from then on, until the bytes are on their way; without what the panel's next lines cost.
    var loopCalls: [Call]
    /// New ones that the loop begins meanwhile.
    var turns: Int

    /// nil: it was not found.
    init?(_ calls: [Call], code: String) {
        func index(from start: Int, _ isIt: (Call) -> Bool) -> Int? { calls[start...].firstIndex(where: isIt) }
        guard let line = index(from: 0, { $0.name == "recvfrom" && $0.text.contains("\"\(code)") }),
            let sync = index(from: line, { $0.name == "fdatasync" }),
            let told = index(from: sync, { $0.thread == calls[sync].thread && $0.name == "write" })
        else { return nil }
        let (loop, panel) = (calls[line].thread, calls[line].descriptor)
        guard
            let sent = index(from: told, { $0.thread == loop && $0.name == "sendto" && $0.descriptor != panel })
        else { return nil }
        diskCalls = calls[line...told].filter { $0.thread == calls[told].thread }
        let own = calls[told...sent].filter { $0.thread == loop }
        let others = own.filter { $0.descriptor != panel }
        // The panel's next lines, where they are in the same commit, are sealed first, each with random bytes of its own.
        let seal = others.first { $0.name == "getrandom" }
        loopCalls = others.filter { $0.name != "epoll_wait" && $0.name != "getrandom" } + [seal].compactMap { $0 }
        turns = others.count { $0.name == "epoll_wait" } - (own.count - others.count)
    }
}

import AlarmModel
import PhoneProtocol
import Platform
import Testing

@Suite("the push service's certificate", .serialized, .timeLimit(.minutes(15)))
struct PhoneTLSTests {
    /// 15 s, doubled for a machine that has other things to do.
    private static let patience = Duration.seconds(30)

    private func offline(_ house: Appliance, _ words: String) throws {
        _ = try house.waitForEvent(within: Self.patience) {
            $0.code == EventCode.pushOffline.rawValue && $0.message.contains(words)
        }
    }

    private func notConnected(_ house: PhoneHouse) throws {
        #expect(try house.phones()["connection"] != .string("ready"))
        #expect(try house.push.truth()["tally"]?["logins"] == .integer(0))
        #expect(!house.push.program.output.contains("<auth"), "nothing is said before the certificate is known")
    }

    private func reload(
        _ house: PhoneHouse, _ change: (inout PhonesConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = Configuration()
        configuration.port = house.house.panel.port
        var phones = PhonesConfiguration(house.push)
        change(&phones)
        configuration.phones = phones
        _ = try house.directory.write("howalarming.yaml", configuration.text)
        house.house.daemon?.signal(1)
    }

    @Test(
        "of another host, expired or its own authority: no word is said, and an event tells which it is",
        arguments: [
            ("wrong-host", "is for another host"), ("expired", "has expired"), ("self-signed", "is self-signed"),
        ])
    func ofAnotherHostExpiredOrItsOwnAuthorityNoWordIsSaid(_ kind: String, _ words: String) throws {
        let house = try PhoneHouse(pushArguments: ["--trace"])
        try house.push.perform("certificate \(kind)")
        try house.house.start()
        // Where the clock is not set by the network, it is the clock that is doubted first.
        let isClockDoubted = kind == "expired" && !SystemClock.isSynchronised
        try offline(house.house, isClockDoubted ? "that clock may be wrong" : words)
        try notConnected(house)
        try house.push.perform("certificate valid")
        try house.waitUntilConnected()
        _ = try house.house.waitForEvent { $0.code == EventCode.pushOnline.rawValue }
    }

    @Test("of an authority that nobody named: the same, and it works when it is named")
    func ofAnAuthorityThatNobodyNamed() throws {
        let other = try PushProcess(in: try TestDirectory())
        let house = try PhoneHouse(pushArguments: ["--trace"]) { $1.authorityFile = other.authorityFile }
        try house.house.start()
        try offline(house.house, "from an authority that is not trusted here")
        try notConnected(house)
        try reload(house)
        try house.waitUntilConnected()
    }

    @Test("a server that takes the connection and says nothing is given up in time")
    func aServerThatTakesTheConnectionAndSaysNothingIsGivenUpInTime() throws {
        let (silent, port) = try TestSocket.bind()
        let house = try PhoneHouse(pushArguments: ["--trace"]) { $1.port = port }
        try house.house.start()
        try offline(house.house, "did not finish the TLS handshake in time")
        try notConnected(house)
        silent.close()
        try reload(house)
        try house.waitUntilConnected()
    }
}

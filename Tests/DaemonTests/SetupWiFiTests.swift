import AlarmModel
import CommandKit
import Glibc
import Platform
import Testing
import YAMLConfiguration

@testable import Subcommands

@Suite("The Wi-Fi in the talk of a set-up") struct SetupWiFiTests {
    private static func interface(_ name: String, carrier: Bool) -> InterfaceList.Interface {
        InterfaceList.Interface(name: name, isUp: true, hasCarrier: carrier, addresses: [])
    }

    /// A talk with somebody who answers so, and what stood on the screen.
    private static func talk<Value>(
        _ answers: [String], _ body: (SetupTalk) throws -> Value
    ) throws -> (value: Value, screen: String, left: Int) {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var talk = SetupTalk(console: Console(output: ends[1], errors: ends[1]))
        var rest = answers
        talk.isTerminal = false
        talk.line = { rest.isEmpty ? nil : rest.removeFirst() }
        let value = try body(talk)
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = read(ends[0], &bytes, bytes.count)
        return (value, String(decoding: bytes.prefix(max(0, count)), as: UTF8.self), rest.count)
    }

    @Test("it is asked where there is an adapter and no cable, and nowhere else")
    func itIsAskedWhereThereIsAnAdapterAndNoCable() {
        let wifi = Self.interface("wlan0", carrier: false)
        #expect(SetupWiFi.isOnlyWay([wifi]))
        #expect(SetupWiFi.isOnlyWay([Self.interface("eth0", carrier: false), wifi]))
        #expect(!SetupWiFi.isOnlyWay([Self.interface("eth0", carrier: true), wifi]))
        #expect(!SetupWiFi.isOnlyWay([wifi, Self.interface("eth1", carrier: true)]))
        #expect(!SetupWiFi.isOnlyWay([Self.interface("eth0", carrier: false)]))
        #expect(!SetupWiFi.isOnlyWay([]))
    }

    @Test("name, password and country are asked until they can be used, and the password is never shown")
    func nameAndPasswordAndCountryAreAsked() throws {
        let long = String(repeating: "x", count: 33)
        let (wifi, screen, left) = try Self.talk(
            ["", "", long, "Anna's net: 5 GHz", "short", "pass'word: #1", "Austria", "at"]
        ) { try SetupWiFi.ask($0) }
        #expect(wifi == .init(country: "AT", name: "Anna's net: 5 GHz", password: Secret("pass'word: #1")))
        #expect(left == 0)
        #expect(!screen.contains("pass'word") && !screen.contains("short\n"))
        #expect(screen.components("That cannot be used") == 4, "\(screen)")
    }

    @Test("an open network has no password; who wants no Wi-Fi is asked nothing more; nobody who answers ends the talk")
    func anOpenNetworkHasNoPassword() throws {
        let open = try Self.talk(["y", "Guests", "", "DE"]) { try SetupWiFi.ask($0) }
        #expect(open.value == .init(country: "DE", name: "Guests"))
        let unwanted = try Self.talk(["n"]) { try SetupWiFi.ask($0) }
        #expect(unwanted.value == nil && unwanted.left == 0)
        #expect(throws: SetupTalk.Over.self) { try Self.talk(["y", "Guests"]) { try SetupWiFi.ask($0) } }
    }

    @Test("the module cannot be tried before the box is in the Wi-Fi: address and password are taken as they are")
    func theModuleCannotBeTriedBefore() throws {
        let (module, screen, left) = try Self.talk(["the module", "192.168.1.50", ""]) {
            try SetupCommand.untriedModule($0)
        }
        #expect("\(module.0)" == "192.168.1.50:4025" && module.1 == Secret("user") && left == 0)
        #expect(screen.contains("tried once the box is in the Wi-Fi"))
    }

    @Test("it stands in the file where the manual says, whatever signs are in it")
    func itStandsInTheFile() throws {
        var answers = SetupAnswers(
            module: Endpoint(address: try #require(IPAddress("192.168.1.50")), port: 4025), password: Secret("user"))
        answers.wifi = .init(country: "AT", name: "Anna's net", password: Secret("pass'word: #1"))
        let result = ConfigurationReader.read(
            bytes: Array(answers.file.utf8), name: "howalarming.yaml", files: NoConfigurationFiles())
        #expect(result.problems.allSatisfy { $0.severity != .error }, "\(result.problems)")
        let wifi = try #require(result.network?.wifi)
        #expect(wifi.country == "AT" && wifi.name == Array("Anna's net".utf8))
        #expect(wifi.password == Secret("pass'word: #1"))
        answers.wifi?.password = nil
        let open = ConfigurationReader.read(
            bytes: Array(answers.file.utf8), name: "howalarming.yaml", files: NoConfigurationFiles())
        #expect(open.network?.wifi?.password == nil && open.configuration != nil)
    }
}

extension String {
    fileprivate func components(_ part: String) -> Int { ranges(of: part).count }
}

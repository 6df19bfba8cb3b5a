import AlarmModel
import ApplianceCore
import Foundation
import PanelLink
import Testing
import Uplinks
import YAMLConfiguration

@Suite("the section 'network'") struct ConfigurationNetworkTests {
    private static func read(_ text: String, secrets: String? = nil) -> ConfigurationResult {
        let files = FakeFiles(secrets.map { ["/s.yaml": $0] } ?? [:])
        return ConfigurationReader.read(
            bytes: Array((ConfigurationSample.valid + text).utf8), name: "c.yaml", files: files,
            secrets: secrets == nil ? nil : "/s.yaml")
    }

    @Test("without a section there is DHCP on eth0, and nothing else")
    func withoutASectionThereIsDHCPOnEth0() throws {
        let network = try #require(Self.read("").network)
        #expect(network == NetworkSettings())
        #expect(network.ethernet == NetworkSettings.Addressing())
        #expect(network.wifi == nil)
        #expect(network.panelPort == nil)
    }

    @Test("everything that can be written is read")
    func everythingThatCanBeWrittenIsRead() throws {
        let result = Self.read(
            """
            network:
              hostname: alarmbox
              ethernet: {address: 192.168.1.40/24, gateway: 192.168.1.1, dns: [9.9.9.9, 2620:fe::fe]}
              wifi: {country: AT, ssid: 'My "net"', password: 'pass # word', address: dhcp}
              panel_port: {interface: eth1, address: 192.168.77.1/24, module: 192.168.77.2}
              ntp: [pool.ntp.org, dhcp, 192.168.1.1]

            """)
        let network = try #require(result.network)
        #expect(network.hostName == "alarmbox")
        #expect(network.ethernet?.address?.description == "192.168.1.40/24")
        #expect(network.ethernet?.gateway?.description == "192.168.1.1")
        #expect(network.ethernet?.nameServers.map(\.description) == ["9.9.9.9", "2620:fe::fe"])
        #expect(network.wifi?.country == "AT")
        #expect(network.wifi?.name == Array("My \"net\"".utf8))
        #expect(network.wifi?.password?.revealed == "pass # word")
        #expect(network.wifi?.addressing == NetworkSettings.Addressing())
        #expect(network.panelPort?.interface == "eth1")
        #expect(network.panelPort?.module.description == "192.168.77.2")
        #expect(network.timeServers == ["pool.ntp.org", "192.168.1.1"])
        #expect(network.takesTimeServers)
        // The panel of the sample is not the module of the panel port.
        #expect(
            result.problems.map(\.description) == [
                "c.yaml:2:9: warning: 'panel.host' is not the address that the module gets at the panel port, "
                    + "192.168.77.2; expected 192.168.77.2"
            ])
    }

    @Test(
        "what is wrong is said with its place",
        arguments: [
            ("{hostname: a.b}", "c.yaml:3:21: error: 'network.hostname' is no name for a machine"),
            ("{hostnam: a}", "c.yaml:3:11: error: unknown key 'hostnam' in 'network'; did you mean 'hostname'?"),
            ("{ethernet: {address: 192.168.1.40}}", "c.yaml:3:31: error: 'network.ethernet.address' has no prefix"),
            ("{ethernet: {address: dhpc}}", "'network.ethernet.address' is no address with a prefix"),
            ("{ethernet: {address: 192.168.1.0/24}}", "is the address of a whole network"),
            ("{ethernet: {address: 192.168.1.255/24}}", "is the address of a whole network"),
            ("{ethernet: {address: 192.168.1.1/33}}", "is no address with a prefix"),
            ("{ethernet: {gateway: 192.168.1.1}}", "'network.ethernet.gateway' is set, but the address comes by DHCP"),
            (
                "{ethernet: {address: 192.168.1.4/24, gateway: 192.168.2.1, dns: 9.9.9.9}}",
                "c.yaml:3:56: error: the gateway 192.168.2.1 is not in the network of 192.168.1.4/24"
            ),
            (
                "{ethernet: {address: 192.168.1.4/24, gateway: 192.168.1.4, dns: 9.9.9.9}}",
                "the gateway is the box's own address"
            ),
            ("{ethernet: {dns: [9.9.9.9, resolver]}}", "c.yaml:3:37: error: 'network.ethernet.dns' holds something"),
            ("{wifi: {country: at, ssid: a, password: 12345678}}", "'network.wifi.country' is no country"),
            ("{wifi: {ssid: a, password: 12345678}}", "'network.wifi' has no country"),
            ("{wifi: {country: AT, password: 12345678}}", "'network.wifi' names no network"),
            ("{wifi: {country: AT, ssid: a, password: 1234567}}", "holds 7 characters that cannot be it"),
            ("{wifi: {country: AT, ssid: \(String(repeating: "ä", count: 17))}}", "'network.wifi.ssid' has 34 bytes"),
            ("{panel_port: {address: 192.168.77.1/24}}", "'network.panel_port' has no address for the module"),
            ("{panel_port: {module: 192.168.77.1}}", "'network.panel_port' has no address"),
            (
                "{panel_port: {address: 192.168.77.1/24, module: 192.168.78.2}}",
                "'network.panel_port.module' is no machine's address in 192.168.77.1/24"
            ),
            (
                "{panel_port: {address: 192.168.77.1/24, module: 192.168.77.255}}",
                "'network.panel_port.module' is no machine's address in 192.168.77.1/24"
            ),
            (
                "{panel_port: {address: 192.168.77.1/24, module: 192.168.77.1}}",
                "'network.panel_port.module' is the box's own address there"
            ),
            ("{panel_port: {address: fd00::1/64, module: fd00::2}}", "alarm modules speak IPv4 only"),
            (
                "{panel_port: {interface: wlan0, address: 192.168.77.1/24, module: 192.168.77.2}}",
                "'network.panel_port.interface' holds a word that is not known there; expected one of eth0, eth1"
            ),
            (
                "{ethernet: {}, panel_port: {interface: eth0, address: 192.168.77.1/24, module: 192.168.77.2}}",
                "'network.panel_port.interface' is the interface of 'network.ethernet'"
            ),
            (
                "{ethernet: {address: 10.0.0.1/8, gateway: 10.0.0.2, dns: 9.9.9.9}, panel_port: {address: "
                    + "10.7.0.1/24, module: 10.7.0.2}}",
                "'network.panel_port.address' is in the same network as 10.0.0.1/8"
            ),
            ("{ntp: [http://x]}", "'network.ntp' is neither a host name nor an IP address"),
        ])
    func wrong(_ text: String, _ words: String) {
        let result = Self.read("network: \(text)\n")
        #expect(result.configuration == nil)
        #expect(result.network == nil)
        let found = result.problems.map(\.description)
        #expect(found.contains { $0.contains(words) }, "\(found)")
    }

    @Test("several problems are said at once, and a password is in none of them")
    func severalProblemsAreSaidAtOnce() {
        let found = Self.read(
            "network:\n  wifi: {country: Austria, ssid: a, password: 'secret\tword'}\n  ntp: ['']\n  gateway: 9.9.9.9\n"
        ).problems.map(\.description)
        #expect(found.count == 4, "\(found)")
        #expect(!found.contains { $0.contains("secret\tword") })
        #expect(found.last?.contains("did you mean 'network.ethernet.gateway'") ?? false, "\(found)")
    }

    @Test("a fixed address without a gateway or name servers, and an open network, are warned of")
    func aFixedAddressWithoutAGatewayOrNameServers() {
        let result = Self.read("network: {ethernet: {address: 10.1.1.2/24}, wifi: {country: AT, ssid: a}}\n")
        #expect(result.network != nil)
        #expect(
            result.problems.map(\.path) == [
                "network.wifi.password", "network.ethernet.gateway", "network.ethernet.dns",
            ])
    }

    @Test("the port of the panel may be the only Ethernet interface, beside Wi-Fi")
    func thePortOfThePanelMayBeTheOnlyEthernetInterface() throws {
        let result = Self.read(
            "network: {wifi: {country: AT, ssid: a, password: abcdefgh}, panel_port: {interface: eth0, "
                + "address: 192.0.2.9/24, module: 192.0.2.1}}\n")
        let network = try #require(result.network)
        #expect(network.ethernet == nil)
        #expect(result.problems.isEmpty)
    }

    @Test("the passwords of the wireless network and of the modem may stand in the secrets file")
    func thePasswordsOfTheWirelessNetworkAndOfTheModemMayStand() throws {
        let main = "network: {wifi: {country: AT, ssid: a}}\nlinks: {modem: {apn: internet, user: u}}\n"
        let second = "network: {wifi: {password: abcdefgh}}\nlinks: {modem: {pin: '0042', password: secret}}\n"
        let result = Self.read(main, secrets: second)
        #expect(result.problems.isEmpty, "\(result.problems)")
        #expect(result.network?.wifi?.password?.revealed == "abcdefgh")
        #expect(result.configuration?.modem?.pin?.revealed == "0042")
        #expect(result.configuration?.modem?.subscription.password?.revealed == "secret")
    }

    @Test("a secret in both files is an error; one that is blank in the main file is taken from the other")
    func aSecretInBothFilesIsAnError() throws {
        let second =
            "network: {wifi: {password: abcdefgh}}\nlinks: {modem: {pin: '0042'}}\npanel: {code_master: 1234}\n"
        let twice = Self.read(
            "network: {wifi: {country: AT, ssid: a, password: abcdefgi}}\nlinks: {modem: {apn: i, pin: 1111}}\n",
            secrets: second)
        #expect(twice.errorCount == 2, "\(twice.problems)")
        let blank = "network: {wifi: {country: AT, ssid: a, password: ''}}\nlinks: {modem: {apn: i, pin: }}\n"
        let result = Self.read(blank, secrets: second)
        #expect(result.problems.isEmpty, "\(result.problems)")
        #expect(result.network?.wifi?.password?.revealed == "abcdefgh")
        #expect(result.configuration?.modem?.pin?.revealed == "0042")
        #expect(result.configuration?.panel.masterCode?.revealed == "1234")
        // Blank, and nowhere else: said as before.
        #expect(Self.read(blank, secrets: "panel: {}\n").errorCount == 2)
    }

    @Test("secrets that nothing uses are said, and so are unknown keys in the secrets file")
    func secretsThatNothingUsesAreSaid() {
        let second = "network: {wifi: {password: abcdefgh, ssid: a}}\nlinks: {modem: {pin: '0042'}, ethernet: {}}\n"
        let found = Self.read("", secrets: second).problems.map(\.description)
        #expect(found.count == 4, "\(found)")
        #expect(found.filter { $0.contains("stands in the secrets file only") }.count == 2)
    }
}

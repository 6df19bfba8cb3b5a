import AlarmModel
import Foundation
import Glibc
import Platform
import Testing

@testable import Subcommands

@Suite("The search for a module")
struct ModuleSearchTests {
    private static func interface(_ name: String, _ addresses: String..., isUp: Bool = true) -> InterfaceList.Interface
    {
        .init(name: name, isUp: isUp, hasCarrier: true, addresses: addresses.compactMap { IPAddress($0) })
    }

    @Test("only private networks of this machine are asked, not itself, and never more than 1024 addresses")
    func onlyPrivateNetworksAreAsked() throws {
        let home = ModuleSearch.addresses([
            Self.interface("eth0", "192.168.1.20", "192.168.1.21", "203.0.113.5", "fd00::5"),
            Self.interface("wlan0", "172.32.0.1", "172.31.0.1"),
            Self.interface("eth1", "10.0.0.1", isUp: false),
        ])
        #expect(home.networks == ["192.168.1.0/24", "172.31.0.0/24"])
        #expect(home.addresses.count == 2 * 253)
        #expect(!home.addresses.contains(try #require(IPAddress("192.168.1.20"))))
        let many = ModuleSearch.addresses((0..<9).map { Self.interface("eth\($0)", "10.0.\($0).1") })
        #expect(many.networks.count == 4 && many.addresses.count <= ModuleSearch.limit)
        #expect(ModuleSearch.addresses([]).addresses.isEmpty)
    }

    /// Greets whoever comes, once.
    private static func server(_ greeting: String) throws -> Endpoint {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = bind(listener, address, length)
                _ = listen(listener, 1)
                _ = getsockname(listener, address, &length)
            }
        }
        Thread.detachNewThread {
            let client = accept(listener, nil, nil)
            _ = greeting.withCString { send(client, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
            var byte: UInt8 = 0
            _ = recv(client, &byte, 1, 0)
            close(client)
            close(listener)
        }
        return Endpoint(address: try #require(IPAddress("127.0.0.1")), port: UInt16(bigEndian: address.sin_port))
    }

    @Test("what greets like a module is found; what is silent, refuses or speaks otherwise is not")
    func whatGreetsLikeAModuleIsFound() throws {
        let module = try Self.server("5053CD\r\n")
        let other = try Self.server("SSH-2.0-OpenSSH\r\n")
        let nobody = Endpoint(address: try #require(IPAddress("127.0.0.1")), port: 1)
        #expect(try ModuleSearch.search([nobody, other, module]) == [module])
        #expect(try ModuleSearch.search([]) == [])
    }
}

import Foundation
import Testing

/// The card's packet filter in nft itself, in a network namespace of its own.
@Suite(
    "the packet filter on the device",
    .enabled(if: getuid() == 0 && access("/usr/sbin/nft", X_OK) == 0, "nft is not installed, or this is not root"))
struct FirewallTests {
    private static let rules = "\(Units.root)/rootfs/etc/nftables.conf"

    /// The rules, then the card's file by the command of the unit, as systemd runs them one after the other.
    private func loaded(exception: String?) throws -> (rules: String, complaint: String) {
        let directory = try TestDirectory()
        let dropIn = try String(
            contentsOfFile: "\(Units.root)/rootfs/etc/systemd/system/nftables.service.d/10-howalarming.conf",
            encoding: .utf8)
        let command = try #require(
            dropIn.split(separator: "\n").first { $0.hasPrefix("ExecStartPost=-") }?.dropFirst("ExecStartPost=-".count))
        var file = "\(directory.path)/missing.nft"
        if let exception { file = try directory.write("panel-port.nft", exception) }
        let after = command.replacing("/run/howalarming-network/panel-port.nft", with: file)
        #expect(after != command)
        let result = try Program.run(
            ["-n", "sh", "-c", "nft -f '\(Self.rules)' && { \(after) || true; } && nft list ruleset"],
            in: directory, executable: "/usr/bin/unshare")
        #expect(result.status == 0, "\(result.errors)")
        return (result.output, result.errors)
    }

    @Test("it drops what nobody asked for; the exception for the panel's own port is added behind the rules")
    func itDropsWhatNobodyAskedFor() throws {
        let plain = try loaded(exception: nil).rules
        #expect(plain.contains("hook input priority filter; policy drop;"))
        #expect(!plain.contains("dport 67 accept"))
        let exception =
            "add rule inet howalarming input iifname \"eth1\" meta nfproto ipv4 udp sport 68 udp dport 67 accept\n"
        let added = try loaded(exception: exception)
        #expect(added.complaint.isEmpty)
        #expect(added.rules.contains("iifname \"eth1\" meta nfproto ipv4 udp sport 68 udp dport 67 accept"))
    }

    @Test("an exception that nft does not take leaves the rules as they are")
    func anExceptionThatIsNotTaken() throws {
        let plain = try loaded(exception: nil).rules
        let broken = try loaded(exception: "add rule inet howalarming input accept\niifname eth1 {{ accept\n")
        #expect(!broken.complaint.isEmpty)
        #expect(broken.rules == plain)
    }
}

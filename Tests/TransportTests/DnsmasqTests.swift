import AlarmModel
import PhoneLink
import PhoneProtocol
import Platform
import Testing

/// SRV records as Debian's dnsmasq serves them, and the account's server found by them.
@Suite("The XMPP server by dnsmasq and Prosody", .serialized, .enabled(if: Dnsmasq.isThere, "\(Independents.advice)"))
struct DnsmasqTests {
    private func lookup(_ service: String, _ server: Dnsmasq, _ loop: EventLoop) throws -> ServiceLookup? {
        let deadline = SystemClock.bootTime() + .seconds(10)
        while true {
            let resolver = server.resolver(on: loop)
            var found: ServiceLookup?
            resolver.locate(service) {
                found = $0
                loop.stop()
            }
            let patience = loop.setTimer(after: .seconds(10)) { loop.stop() }
            loop.run()
            loop.cancel(patience)
            // Whoever is asked before it listens refuses.
            guard case .failed(let failure)? = found, failure != .notFound, SystemClock.bootTime() < deadline else {
                return found
            }
            loop.setTimer(after: .milliseconds(200)) { loop.stop() }
            loop.run()
        }
    }

    @Test("records come with target, port, priority and weight; none, an unknown name and a root target are told apart")
    func recordsComeWithTarget() throws {
        let loop = try EventLoop()
        let server = try Dnsmasq(
            [
                "--srv-host=_xmpp-client._tcp.house.test,a.house.test,5222,10,60",
                "--srv-host=_xmpp-client._tcp.house.test,b.house.test,5269,20,0",
                "--srv-host=_xmpps-client._tcp.house.test",
            ], on: loop)
        guard case .records(let records)? = try lookup("_xmpp-client._tcp.house.test", server, loop) else {
            Issue.record("no records; \(server.program.complaints)")
            return
        }
        #expect(
            records.sorted { $0.priority < $1.priority } == [
                ServiceRecord(target: "a.house.test", port: 5222, priority: 10, weight: 60),
                ServiceRecord(target: "b.house.test", port: 5269, priority: 20, weight: 0),
            ])
        let root = try lookup("_xmpps-client._tcp.house.test", server, loop)
        #expect(
            root == .records([ServiceRecord(target: "", port: 1)])
                || root == .records([ServiceRecord(target: "", port: 0)]))
        #expect(try lookup("_xmpp-client._tcp.elsewhere.test", server, loop) == .records([]))
        #expect(try lookup("", server, loop) == .failed(.notFound))
    }

    @Test("nobody who answers is a time-out, not a missing service")
    func nobodyWhoAnswersIsATimeOut() throws {
        let loop = try EventLoop()
        let resolver = Resolver(on: loop, within: .milliseconds(400))
        let address = try #require(IPAddress("127.0.0.1"))
        resolver.setServers([Endpoint(address: address, port: try freePort())], for: .any)
        var found: ServiceLookup?
        resolver.locate("_xmpp-client._tcp.house.test") {
            found = $0
            loop.stop()
        }
        let patience = loop.setTimer(after: .seconds(10)) { loop.stop() }
        loop.run()
        loop.cancel(patience)
        guard case .failed? = found else {
            Issue.record("\(String(describing: found))")
            return
        }
    }

    @Test("the account logs in where the domain's records say, and the certificate has to name the domain")
    func theAccountLogsInWhereTheDomainsRecordsSay() throws {
        let server = try ProsodyServer()
        let account = try #require(XMPPAddress("box@\(ProsodyServer.domain)"))
        var settings = XMPPSettings(account: account, password: Secret("pass of box"))
        settings.caFile = server.authority.file
        settings.pace.maximum = .milliseconds(500)
        let runner = try TransportRunner(XMPPTransport(settings: settings, seed: 1))
        runner.compute = { [unowned runner] job in
            guard case .channelBinding(let id) = job else { return TransportComputation.answer(to: job) }
            let binding = (runner.streams[id] as? SecureStream)?.channelBinding
            return binding.map { .bytes($0) } ?? .failed("no TLS 1.3")
        }
        let names = try Dnsmasq(
            [
                "--srv-host=_xmpps-client._tcp.house.test,dead.house.test,\(try freePort()),0,0",
                "--srv-host=_xmpp-client._tcp.house.test,chat.house.test,\(server.startTLSPort),5,0",
            ], on: runner.loop)
        runner.resolver = names.resolver(on: runner.loop)
        runner.hosts = ["chat.house.test": try #require(IPAddress("127.0.0.1"))]
        runner.hosts["dead.house.test"] = runner.hosts["chat.house.test"]
        try server.start(on: runner)
        runner.start()
        do { try runner.waitUntilReady() } catch { throw WaitedInVain(description: "\(error)\n\(server.log)") }
        #expect(runner.sentText.contains("<starttls"))
    }
}

/// The name server of Debian's package dnsmasq-base on a free port of 127.0.0.1.
final class Dnsmasq {
    static let isThere = Independents.has("/usr/sbin/dnsmasq") && ProsodyServer.isThere
    let program: ProgramOfOthers
    private let port: UInt16

    init(_ records: [String], on loop: EventLoop) throws {
        port = try freePort()
        let kinds = ["x86_64-linux-gnu", "aarch64-linux-gnu"]
        program = try ProgramOfOthers(
            Independents.program("/usr/sbin/dnsmasq"),
            [
                "--keep-in-foreground", "--conf-file=/dev/null", "--port=\(port)", "--listen-address=127.0.0.1",
                "--bind-interfaces", "--no-resolv", "--no-hosts", "--pid-file", "--user=", "--local=/test/",
                "--log-facility=-",
            ] + records,
            environment: [
                "LD_LIBRARY_PATH=" + kinds.map { "\(Independents.root)/usr/lib/\($0)" }.joined(separator: ":")
            ],
            on: loop)
    }

    /// c-ares asks again while dnsmasq starts.
    func resolver(on loop: EventLoop) -> Resolver {
        let resolver = Resolver(on: loop, within: .seconds(8))
        if let address = IPAddress("127.0.0.1") {
            resolver.setServers([Endpoint(address: address, port: port)], for: .any)
        }
        return resolver
    }
}

import AlarmModel
import Glibc
import Platform
import Testing

private enum Avahi {
    static let program = "/usr/sbin/avahi-daemon"
    /// Where tests must not be skipped, one that cannot run fails.
    static let isThere =
        getenv("CI").map { String(cString: $0) } == "true" || access(PrivateBus.place(program), X_OK) == 0
}

/// Debian's Avahi as the neighbour, without D-Bus, in a network of the test's own: this end is 10.55.0.1, it is 10.55.0.2.
@Suite(
    "A name that the real Avahi answers for",
    .enabled(if: NetworkNamespace.isPossible, "network namespaces are root's"),
    .enabled(if: Avahi.isThere, "Avahi is not here: \(PrivateBus.advice)"))
struct AvahiTests {
    private let here: NetworkNamespace
    private let there: NetworkNamespace
    private let directory: TemporaryDirectory
    private let loop: EventLoop

    init() throws {
        here = try NetworkNamespace()
        there = try NetworkNamespace()
        directory = try TemporaryDirectory()
        loop = try EventLoop()
        try here.run(
            """
            ip link add near type veth peer name far
            ip link set far netns \(there.path)
            ip address add 10.55.0.1/24 dev near
            ip link set near up
            ip route add default dev near
            """)
        try there.run(
            """
            ip address add 10.55.0.2/24 dev far
            ip link set far up
            ip route add default dev far
            """)
    }

    /// With a /run of its own, where it writes its number, and with its user, who is not there where it was only unpacked.
    private func startAvahi() throws -> ChildProcess {
        let configuration = """
            [server]
            host-name=broker
            domain-name=local
            use-ipv4=yes
            use-ipv6=no
            allow-interfaces=far
            enable-dbus=no
            [publish]
            publish-workstation=no
            """
        let file = "\(directory.path)/avahi.conf"
        try AtomicFile.write(file, Array(configuration.utf8))
        let start = """
            mount -t tmpfs tmpfs /run
            mkdir /run/avahi-daemon
            for list in passwd group; do cp /etc/$list "$2/$list"; done
            echo 'avahi:x:65533:65533::/:/bin/false' >> "$2/passwd"
            echo 'avahi:x:65533:' >> "$2/group"
            for list in passwd group; do mount --bind "$2/$list" /etc/$list; done
            exec "$0" --no-rlimits --no-drop-root --no-chroot --file "$1"
            """
        return try there.inside {
            try ChildProcess(
                "/usr/bin/unshare",
                ["--mount", "/bin/sh", "-ec", start, PrivateBus.place(Avahi.program), file, directory.path],
                environment: ["LD_LIBRARY_PATH=\(PrivateBus.libraries)"], output: .lines, on: loop)
        }
    }

    private func ask(_ name: String, link: Link = .any) throws -> [IPAddress] {
        var found: [IPAddress] = []
        let resolver = Resolver(on: loop, within: .seconds(2))
        // No name server answers there.
        resolver.setServers([Endpoint(address: try #require(IPAddress("10.55.0.9")), port: 53)], for: link)
        try here.inside {
            resolver.resolve(name, link: link) { [loop] result in
                found = (try? result.get()) ?? []
                loop.stop()
            }
            #expect(loop.runBounded(.seconds(6)))
        }
        return found
    }

    @Test("it is found as soon as it has its name, on the link that was asked and on all, and gone once it is gone")
    func itIsFoundAsSoonAsItHasItsName() throws {
        #expect(try ask("broker.local").isEmpty)
        let avahi = try startAvahi()
        var said: [String] = []
        var isOver = false
        avahi.onLine = { said.append($1) }
        avahi.onEnd = { [loop] _ in
            isOver = true
            loop.stop()
        }
        defer { avahi.kill() }
        let address = try #require(IPAddress("10.55.0.2"))
        // It probes first whether somebody else has the name.
        var found: [IPAddress] = []
        for _ in 1...8 where found.isEmpty && !isOver { found = try ask("broker.local") }
        #expect(found == [address], "\(said.suffix(20).joined(separator: "\n"))")
        #expect(try ask("Broker.Local", link: .interface("near")) == [address])
        #expect(try ask("somebody-else.local").isEmpty)
        avahi.kill()
        #expect(isOver || loop.runBounded())
        #expect(try ask("broker.local").isEmpty)
    }
}

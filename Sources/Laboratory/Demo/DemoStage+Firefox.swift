import AlarmModel
import PhoneProtocol
import Platform
import Simulators

/// A Firefox that the demo starts itself, and the push service that it uses.
extension DemoStage {
    /// A Firefox with its profile.
    final class Firefox {
        let program: Program
        let profile: FirefoxProfile

        init(_ program: Program, _ profile: FirefoxProfile) {
            self.program = program
            self.profile = profile
        }
    }

    /// Starts the push service, in this process, and writes its authority's certificate to `authorityFile`; its port.
    func startBrowserPush(authorityFile: String) throws -> UInt16 {
        let certificates = try PushCertificates()
        try AtomicFile.write(authorityFile, Array(certificates.authorityPEM.utf8), mode: 0o644)
        let seed = Random.number()
        let mount = try HTTPServiceMount(
            BrowserPushService.make(seed: seed), port: 0, certificates: certificates, on: loop)
        BrowserPushService.settle(mount)
        mount.onStep = { [loop] in loop.stop() }
        browserPush = mount
        browserPushFingerprint = certificates.identity(.valid).fingerprint
        return mount.port
    }

    /// What the push service has taken for browsers, oldest first.
    var browserPushes: [WebPushRecord] { browserPush?.service.records ?? [] }

    /// Starts the browser and gives it a finger that is always right.
    func startFirefox(_ path: String) throws {
        guard let browserPush else { return }
        let profile = try FirefoxProfile(
            in: directory, pushPort: browserPush.port, fingerprint: browserPushFingerprint)
        let program: Program
        do throws(SystemError) {
            program = try launch(
                "Firefox", path, ["--no-remote", "--profile", profile.directory, "--marionette", "about:blank"],
                environment: profile.environment, ownGroup: true)
        } catch {
            profile.remove()
            throw error
        }
        let started = Firefox(program, profile)
        firefox = started
        let end = SystemClock.bootTime() + .seconds(60)
        while profile.remotePort == nil {
            guard SystemClock.bootTime() < end else { throw DemoEnd.noAnswer("Firefox, which starts,") }
            guard !program.hasEnded else { throw DemoEnd.programEnded("Firefox", program.lines) }
            try rest(.milliseconds(100))
        }
        try steerFirefox(
            "WebAuthn:AddVirtualAuthenticator",
            .object([
                "protocol": .string("ctap2"), "transport": .string("internal"), "hasResidentKey": .bool(true),
                "hasUserVerification": .bool(true), "isUserConsenting": .bool(true), "isUserVerified": .bool(true),
            ]))
    }

    /// The page opens in the browser.
    func showInFirefox(_ link: Secret) throws {
        try steerFirefox("WebDriver:Navigate", .object(["url": .string(link.revealed)]))
    }

    /// Ends the browser, which takes all its processes with it, and removes its profile.
    func stopFirefox() {
        guard let firefox else { return }
        end(firefox.program)
        firefox.profile.remove()
        self.firefox = nil
    }

    /// One order; before it and after it nobody but its user steers the browser. What it was given, a finger, it keeps.
    private func steerFirefox(_ name: String, _ parameters: JSON) throws {
        guard let firefox, let port = firefox.profile.remotePort, let address = IPAddress(bytes: [127, 0, 0, 1])
        else { return }
        let stream = try connect("Firefox's remote control") { connector, then in
            connector.open(Endpoint(address: address, port: port), then: then)
        }
        let remote = Marionette(stream) { [loop] in loop.stop() }
        defer { remote.close() }
        for (name, parameters) in [("WebDriver:NewSession", .object([])), (name, parameters)] {
            let number = remote.order(name, parameters)
            let isOver = try wait { firefox.program.hasEnded || remote.answers.contains { $0.number == number } }
            guard !firefox.program.hasEnded else { throw DemoEnd.programEnded("Firefox", firefox.program.lines) }
            guard isOver else { throw DemoEnd.noAnswer("Firefox") }
            if let refusal = remote.answers.first(where: { $0.number == number })?.refusal {
                throw DemoEnd.failed("Firefox did not take '\(name)': \(refusal)")
            }
        }
    }
}

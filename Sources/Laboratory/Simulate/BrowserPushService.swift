import Platform
import Simulators

/// The simulated push service of browsers, with what only a program beside it has: keys, hashes and chance.
enum BrowserPushService {
    static func make(seed: UInt64) -> WebPushSimulator {
        var settings = WebPushServerSettings { OpenSSLCrypto().verifyP256($1, of: $0, publicKey: $2) }
        settings.hash = { Digest.sha1($0) }
        return WebPushSimulator(settings: settings, seed: seed)
    }

    /// Its endpoints are at the mount's port.
    static func settle(_ mount: HTTPServiceMount<WebPushSimulator>) {
        let origin = "https://localhost:\(mount.port)"
        mount.step { service, _, _ in service.settings.origin = origin }
    }

    /// What Firefox's preference `dom.push.serverURL` is set to.
    static func address(port: UInt16) -> String { "wss://localhost:\(port)/" }
}

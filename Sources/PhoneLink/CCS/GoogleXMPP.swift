/// The push service that the original apps were made for, and what became of it.
package enum GoogleXMPP {
    /// Reference fcm-xmpp, its first section.
    package static let ended =
        "Google ended its hosted XMPP service in 2024, so nothing can be expected to answer there"

    /// `host` is a name without a port.
    package static func isAt(_ host: String) -> Bool {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        return name == "googleapis.com" || name.hasSuffix(".googleapis.com")
    }
}

/// The configuration file of a test: the example house with times of a test.
struct Configuration {
    var host = "127.0.0.1"
    var port: UInt16 = 0
    var password = "user"
    var masterCode: String? = "1234"
    /// Lines of `panel.timing`, each a key and its value.
    var timing = [
        "reconnect_minimum: 100ms", "reconnect_maximum: 500ms", "slot_held_wait: 300ms", "refused_wait: 1s",
        "status_cap: 3s", "key_spacing: 500ms",
    ]
    var pollInterval = "20s"
    var setsClock = false
    var codeOnRequest: String?
    /// Lines of `pace`, each a key and its value.
    var pace = ["command_deadline: 30s"]
    var siteName = "Mill Lane 4"
    var kitchen = "Kitchen window"
    /// The push service; none, no phones.
    var phones: PhonesConfiguration?
    /// Sections of other channels to people, line by line.
    var channels: [String] = []

    var text: String {
        var lines = [
            "site: {name: \(siteName), time_zone: UTC}", "panel:", "  host: \(host)", "  port: \(port)",
            "  password: '\(password)'",
        ]
        if let masterCode { lines.append("  code_master: '\(masterCode)'") }
        if let codeOnRequest { lines.append("  code_on_request: \(codeOnRequest)") }
        lines += ["  set_clock: \(setsClock)", "  poll_interval: \(pollInterval)", "  timing:"]
        lines += timing.map { "    \($0)" }
        lines += [
            "partitions: {1: Ground floor, 2: Workshop}", "zones:", "  1: {name: Front door, partition: 1}",
            "  2: {name: Back door, partition: 1}", "  3: {name: \(kitchen), partition: 1}",
            "  4: {name: Living room motion, partition: 1}", "  7: {name: Hall smoke, partition: 1, fire: true}",
            "users: {1: Anna, 2: Ben, 40: Master code}",
        ]
        // A busy machine's disk is slow, which only a test of the store is about.
        let stall = pace.contains { $0.hasPrefix("store_stall") } ? [] : ["store_stall: 20s"]
        lines += ["pace:"] + (pace + stall).map { "  \($0)" }
        if let phones { lines += phones.lines }
        lines += channels
        return lines.joined(separator: "\n") + "\n"
    }
}

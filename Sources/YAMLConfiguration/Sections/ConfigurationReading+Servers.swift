import AlarmModel
import PhoneLink

/// What all ways to people have in common: certificates, addresses, accounts, patience.
extension ConfigurationReading {
    /// A file with the authorities to trust instead of the system's; relative to the directory of the configuration file.
    mutating func authorityFile(_ field: ConfigurationSection.Field?) -> String? {
        guard let field else { return nil }
        let expected = "the path of a file with certificates of authorities in PEM form"
        guard let full = path(field, expected: expected) else { return nil }
        let found: ConfigurationFile
        do throws(ConfigurationFileFailure) {
            found = try files.read(full, limit: ConfigurationReader.sizeLimit)
        } catch {
            report(
                at: place(ofValue: field), field.path,
                "the certificates of '\(field.path)' cannot be read: \(error)", expected: expected)
            return nil
        }
        guard String(decoding: found.bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
            report(
                at: place(ofValue: field), field.path, "the file of '\(field.path)' holds no certificate",
                expected: expected)
            return nil
        }
        return full
    }

    /// A path, from the directory of the configuration file on unless it begins with a slash.
    mutating func path(_ field: ConfigurationSection.Field, expected: String) -> String? {
        guard let path = text(field, expected: expected) else { return nil }
        guard !path.unicodeScalars.contains(where: Self.isControl) else {
            report(
                at: place(ofValue: field), field.path, "the path of '\(field.path)' holds a control character",
                expected: expected)
            return nil
        }
        return path.hasPrefix("/") ? path : Self.directory(of: file) + path
    }

    /// The URL is not shown: it may hold a secret.
    mutating func url(_ field: ConfigurationSection.Field, expected: String) -> HTTPURL? {
        guard let text = text(field, expected: expected) else { return nil }
        do throws(HTTPURLError) {
            return try HTTPURL(text)
        } catch {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' is no URL: \(error)", expected: expected)
            return nil
        }
    }

    mutating func port(_ field: ConfigurationSection.Field?) -> UInt16? {
        guard let field, let port = integer(field, in: 1...65535) else { return nil }
        return UInt16(clamping: port)
    }

    /// `user` and `password` of a section: both or neither.
    mutating func login(_ section: ConfigurationSection) -> (user: String, password: Secret)? {
        let user = section["user"].flatMap { self.user($0) }
        let password = section["password"].flatMap { self.password($0) }
        switch (section["user"], section["password"]) {
        case (let field?, nil):
            report(
                at: field.place, section.path(of: "password"), "'\(section.path)' has a user and no password",
                expected: "'password' in '\(section.path)' or in the secrets file, or neither of the two")
        case (nil, let field?):
            report(
                at: field.place, section.path(of: "user"), "'\(section.path)' has a password and no user",
                expected: "'user' in '\(section.path)', or neither of the two")
        case (nil, nil), (.some, .some): break
        }
        guard let user, let password else { return nil }
        return (user, password)
    }

    /// Not shown when it is wrong: it may be the password in the wrong line.
    private mutating func user(_ field: ConfigurationSection.Field) -> String? {
        let expected = "a user name of at most 256 characters on one line"
        guard let text = text(field, expected: expected) else { return nil }
        guard text.unicodeScalars.count <= 256, !text.unicodeScalars.contains(where: Self.isControl) else {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' holds \(Self.kind(field.value))",
                expected: expected)
            return nil
        }
        return text
    }

    mutating func password(_ field: ConfigurationSection.Field) -> Secret? {
        secret(
            field, expected: "a password of at most 512 characters on one line",
            isValid: { text in
                text.unicodeScalars.count <= 512 && !text.unicodeScalars.contains(where: Self.isControl)
            })
    }

    /// This machine itself: what goes there is on no network.
    static func isHere(_ host: String) -> Bool {
        let name = host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        guard let address = IPAddress(name) else { return false }
        return address.isIPv6 ? address == IPAddress("::1") : address.bytes.first == 127
    }

    /// This machine, or an address that no packet from the internet reaches.
    static func isNearby(_ host: String) -> Bool {
        if isHere(host) { return true }
        guard let address = IPAddress(host) else { return false }
        switch (address.bytes[0], address.bytes[1]) {
        case (10, _), (192, 168), (169, 254): return !address.isIPv6
        case (172, let second): return !address.isIPv6 && (16...31).contains(second)
        case (0xFC, _), (0xFD, _): return address.isIPv6
        case (0xFE, let second): return address.isIPv6 && second & 0xC0 == 0x80
        default: return false
        }
    }

    /// Warns of a password that everybody on the way can read.
    mutating func warnOfPlainSecret(_ field: ConfigurationSection.Field?, host: String, remedy: String) {
        guard let field, !Self.isHere(host) else { return }
        report(
            .warning, at: field.place, field.path,
            "'\(field.path)' goes over a connection without encryption, so everybody on the way can read it",
            expected: remedy)
    }

    /// One key of a `timing` section.
    struct WayTiming<Settings> {
        var key: String
        var path: WritableKeyPath<Settings, Duration>
        var longest: Duration
        init(_ key: String, _ path: WritableKeyPath<Settings, Duration>, upTo longest: Duration) {
            self.key = key
            self.path = path
            self.longest = longest
        }
    }

    /// The spans of a way's `timing`, each from 10 ms: tests shorten them.
    mutating func readTiming<Settings>(
        _ section: ConfigurationSection, into settings: inout Settings, _ timings: [WayTiming<Settings>]
    ) {
        guard let field = section["timing"],
            let section = self.section(
                field.value, path: field.path, place: field.place, known: timings.map(\.key))
        else { return }
        for timing in timings {
            guard let field = section[timing.key], let span = duration(field, in: .milliseconds(10)...timing.longest)
            else { continue }
            settings[keyPath: timing.path] = span
        }
        guard let shortest = timings.first(where: { $0.key == "reconnect_minimum" }),
            let longest = timings.first(where: { $0.key == "reconnect_maximum" }),
            settings[keyPath: shortest.path] > settings[keyPath: longest.path]
        else { return }
        let place = section[shortest.key] ?? section[longest.key]
        report(
            at: place?.place ?? section.place, section.path(of: shortest.key),
            "the shortest wait before a reconnect, \(Self.words(settings[keyPath: shortest.path])), is above the "
                + "longest, \(Self.words(settings[keyPath: longest.path]))",
            expected: "reconnect_minimum up to reconnect_maximum")
    }
}

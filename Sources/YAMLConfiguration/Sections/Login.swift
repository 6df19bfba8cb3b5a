import AlarmModel

/// `user` and `password` of a section: both or neither.
struct Login {
    private var user: String?
    private var password: Secret?

    static let table: [Setting<Self>] = [
        .init("user", .user, \.user).inEitherFile,
        .init("password", .password, \.password).secret,
    ]

    func checked(_ section: Mapping, _ reading: inout SettingsReading) -> (user: String, password: Secret)? {
        switch (section["user"], section["password"]) {
        case (let field?, nil):
            reading.report(
                at: field.place, section.path(of: "password"), "'\(section.path)' has a user and no password",
                expected: "'password' in '\(section.path)' or in the secrets file, or neither of the two")
        case (nil, let field?):
            reading.report(
                at: field.place, section.path(of: "user"), "'\(section.path)' has a password and no user",
                expected: "'user' in '\(section.path)', or neither of the two")
        case (nil, nil), (.some, .some): break
        }
        guard let user, let password else { return nil }
        return (user, password)
    }
}

extension ValueKind where Value == String {
    fileprivate static var user: Self {
        .text("a user name of at most 256 characters on one line") {
            $0.unicodeScalars.count <= 256 && !ConfigurationText.hasControl($0)
        }
    }
}

extension SettingsReading {
    /// Warns of a secret that everybody on the way can read.
    mutating func warnOfPlainSecret(_ field: Field?, host: String, remedy: String) {
        guard let field, !HostName.isHere(host) else { return }
        warning(
            field, "'\(field.path)' goes over a connection without encryption, so everybody on the way can read it",
            expected: remedy)
    }
}

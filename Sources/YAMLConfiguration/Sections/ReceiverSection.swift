import AlarmModel
import ApplianceCore
import PhoneLink

/// `receiver`: an alarm receiver, which is told in Contact ID what happens.
struct ReceiverSection: SettingsSection {
    private var host: String?
    private var port: UInt16?
    private var isEncrypted = false
    private var caFile: String?
    private var account: Target<String>?
    private var receiver: UInt32 = 0
    private var line: UInt32 = 0
    private var key: Secret?
    private var keyOfCharacters: Secret?
    private var tellsDuress = false
    private var interval: Duration?

    static let table: [Setting<Self>] = {
        let hosts = "the receiver's name or IP address, as the station gives it"
        let ports = "the receiver's port, as the station gives it"
        return [
            .init("host", .host(hosts), \.host).required("% has no host", ": \(hosts)"),
            .init("port", .port, \.port).required("% has no port", ": \(ports)"),
            .init("tls", .flag, \.isEncrypted),
            .init("ca_file", .authorityFile, \.caFile),
            .init("account", .target(.account), \.account).required("% has no account", ": \(accounts)"),
            .init("receiver_number", .number, \.receiver),
            .init("line_number", .number, \.line),
            .init("key", .key, \.key).secret,
            .init("key_characters", .keyOfCharacters, \.keyOfCharacters).secret,
            .init("duress", .flag, \.tellsDuress),
            .init("poll", .span(.seconds(10) ... .hours(1)), \.interval),
        ]
    }()

    fileprivate static let accounts = "the account that the station gives: 3 to 16 hexadecimal digits, in quotes"

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        if let field = section["key_characters"], section["key"] != nil {
            reading.error(
                field, "'\(field.path)' is set, and so is the key in hexadecimal digits",
                expected: "one of them: 'key' or 'key_characters'")
        }
        if let field = section["ca_file"], !isEncrypted {
            reading.warning(
                field, "'\(field.path)' serves nothing: the connection is not encrypted",
                expected: "'tls: true' in 'receiver', or no 'ca_file'")
        }
        guard let host, let port, let account else { return }
        let key = key ?? keyOfCharacters
        if !isEncrypted, let field = section["host"], !HostName.isHere(host) {
            if key == nil {
                reading.warning(
                    field, "everybody on the way to this receiver can read what happens in the house, and forge it",
                    expected: "'tls: true' in 'receiver', or at least the 'key' of the station")
            } else {
                reading.warning(
                    field,
                    "whoever is on the way to this receiver can hold its answer back and confirm an alarm with it, for a minute",
                    expected: "'tls: true' in 'receiver' beside the 'key', if the station has TLS")
            }
        }
        var settings = ReceiverSettings(
            host: host, port: port, security: isEncrypted ? .tls(authorityFile: caFile) : .plain,
            account: account.value, key: key)
        settings.receiver = receiver
        settings.line = line
        if let interval { settings.pollInterval = interval }
        reading.draft.phones.settings.channels.append(.receiver(settings))
        reading.draft.phones.settings.house.append(
            .init(
                kind: .receiver, value: settings.account, triggers: .usualInTheHouse, goesByOwnType: true,
                isDuressContact: tellsDuress ? true : nil))
    }
}

extension ValueKind where Value == String {
    fileprivate static var account: Self {
        .text(ReceiverSection.accounts, otherwise: "holds no account") { ReceiverSettings.isAccount($0) }
    }
}

extension ValueKind where Value == UInt32 {
    fileprivate static var number: Self {
        ValueKind<String>.text("1 to 6 hexadecimal digits, in quotes", otherwise: "holds no such number") {
            (1...6).contains($0.utf8.count) && $0.utf8.allSatisfy(ConfigurationText.isHexadecimal)
        }.map { UInt32($0, radix: 16) ?? 0 }
    }
}

extension ValueKind where Value == Secret {
    fileprivate static var key: Self {
        .secret("the key that the station gives: 32, 48 or 64 hexadecimal digits") { ReceiverSettings.isKey($0) }
    }

    /// As a receiver has it that takes the characters of the key themselves.
    fileprivate static var keyOfCharacters: Self {
        .secret("the key as 16, 24 or 32 characters of ASCII without spaces") {
            ReceiverSettings.key(ofCharacters: $0) != nil
        }.map { ReceiverSettings.key(ofCharacters: $0.revealed) ?? $0 }
    }
}

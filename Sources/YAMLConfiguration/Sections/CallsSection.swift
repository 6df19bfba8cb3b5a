import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Uplinks

/// `calls`: telephone calls by a provider, whose HTTP interface the owner describes, or by the box's own modem.
struct CallsSection: SettingsSection {
    private var people: [PersonNumber] = []
    private var patience = Duration.minutes(3)
    private var unless = TextAlarmSettings.Unless.seen
    private var isByModem = false
    private var url: HTTPURL?
    private var login = Login()
    private var headers: [CallSettings.Parameter] = []
    private var form: [CallSettings.Parameter]?
    private var json: Secret?
    private var callPath: String?
    private var status: HTTPURL?
    private var keyPath: String?
    private var caFile: String?
    private var isPlainMeant = false
    private var socket: String?

    private static let address = "the provider's address for a new call, such as https://api.example.com/calls"

    static let table: [Setting<Self>] =
        [
            .init(
                "numbers", .people(.calledNumber, empty: "nobody would be called", doubt: "who pressed a key"), \.people
            ).required("% has no numbers", ": \([PersonNumber].expected)"),
            .init("after", .span(.seconds(1) ... .hours(1)), \.patience),
            .init("unless", .unless, \.unless),
            .init("by", .word([("provider", false), ("modem", true)]), \.isByModem),
            .init("url", .url(address), \.url).secret,
            .init("headers", .parameters, \.headers),
            .init("form", .parameters.map { $0 }, \.form),
            .init("json", .template, \.json),
            .init("call_id", .answerPath, \.callPath),
            .init(
                "status_url", .url("an address with {call} in it, such as https://api.example.com/calls/{call}"),
                \.status
            )
            .secret,
            .init("key", .answerPath, \.keyPath),
            .init("ca_file", .authorityFile, \.caFile),
            .init("plain", .flag, \.isPlainMeant),
            .init("socket", .socket(of: "howalarming-speech.socket").map { $0 }, \.socket),
        ] + Login.table.within(\.login)

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        let login = login.checked(section, &reading)
        if isByModem { return settleModem(section, &reading) }
        if section["url"] == nil {
            reading.report(
                at: section.place, section.path(of: "url"), "'calls' has no url",
                expected: "'url' in 'calls': \(Self.address); or 'by: modem' where the box's own modem shall call")
        }
        if let field = section["socket"] {
            reading.valueError(
                field, "'\(field.path)' is for calls by the modem, and here a provider calls",
                expected: "'by: modem' instead of a provider, or no 'socket'")
        }
        guard let field = section["url"], let url, !people.isEmpty else { return }
        if !url.isEncrypted, !HostName.isNearby(url.host), !isPlainMeant {
            return reading.valueError(
                field, "'\(field.path)' begins with http://, so everybody on the way can read whom you call and why",
                expected: "https://, or 'plain: true' in 'calls' if that is meant")
        }
        if form != nil, json != nil, let field = section["json"] {
            reading.valueError(field, "'calls' has both 'form' and 'json'", expected: "the one that the provider wants")
        }
        let body: CallSettings.Body = json.map { .json($0) } ?? form.map { .form($0) } ?? .none
        checkSigns(url, body, field, &reading)
        guard let asked = checkedStatus(section, url, &reading) else { return }
        var headers = headers
        if let login { headers.append(CallSettings.basic(user: login.user, password: login.password)) }
        let settings = CallSettings(
            url.origin(authorityFile: caFile), target: Secret(url.target), headers: headers, body: body, status: asked)
        reading.draft.calls = CallerSettings(provider: settings, people: people, patience: patience, unless: unless)
    }

    private func settleModem(_ section: Mapping, _ reading: inout SettingsReading) {
        let provider = ["url", "headers", "form", "json", "call_id", "status_url", "key", "user", "password"]
        if let field = provider.lazy.compactMap({ section[$0] }).first {
            return reading.valueError(
                field, "'\(field.path)' is for a provider, and 'calls' says 'by: modem'", expected: "one of the two")
        }
        guard !people.isEmpty else { return }
        var settings = CallerSettings(provider: nil, people: people, patience: patience, unless: unless)
        settings.speaker = socket
        reading.draft.calls = settings
    }

    /// The modem's calls need one that we drive: known once all sections are read.
    static func check(_ field: Field?, _ reading: inout SettingsReading) {
        guard let field, let calls = reading.draft.calls, calls.provider == nil, reading.draft.links?.modem == nil
        else {
            return
        }
        reading.warning(
            field, "nobody can be called: 'by: modem' in 'calls' needs a modem that this box dials by itself",
            expected: "'modem' in 'links', with 'apn' and without 'interface'")
    }

    /// Whom to call and what to say must be in the request.
    private func checkSigns(
        _ url: HTTPURL, _ body: CallSettings.Body, _ field: Field, _ reading: inout SettingsReading
    ) {
        let text =
            url.target
            + {
                switch body {
                case .none: ""
                case .form(let parameters): parameters.map(\.value.revealed).joined(separator: "\n")
                case .json(let text): text.revealed
                }
            }()
        if !text.includes("{number}"), !text.includes("{digits}") {
            reading.valueError(
                field, "the request of 'calls' does not say whom to call",
                expected: "{number}, or {digits} for the number without its +, where the provider wants it")
        }
        if !text.includes("{words}") {
            reading.warning(
                field, "the request of 'calls' holds no {words}, so every alarm sounds alike",
                expected: "{words} where the provider wants what is spoken")
        }
    }

    /// nil: a part is missing, which was reported. Without any of them nobody is asked.
    private func checkedStatus(
        _ section: Mapping, _ url: HTTPURL, _ reading: inout SettingsReading
    ) -> CallSettings.Status?? {
        let keys = ["call_id", "status_url", "key"]
        let (there, missing) = (keys.filter { section[$0] != nil }, keys.filter { section[$0] == nil })
        guard let first = there.first.flatMap({ section[$0] }) else {
            reading.warning(
                section["url"] ?? section.fields[0],
                "'calls' cannot hear a pressed key, so no call confirms an alarm: each number is called once",
                expected: "'call_id', 'status_url' and 'key' in 'calls', where the provider tells which key was pressed"
            )
            return .some(nil)
        }
        guard missing.isEmpty else {
            reading.report(
                at: first.place, section.path(of: missing[0]),
                "'calls' says in part how the pressed key is heard: '\(missing[0])' is missing",
                expected: "'call_id', 'status_url' and 'key' together, or none of them")
            return nil
        }
        guard let callPath, let keyPath, let status, let field = section["status_url"] else { return nil }
        guard status.target.includes("{call}") else {
            reading.valueError(
                field, "'\(field.path)' does not say which call is meant", expected: "{call} where its id belongs")
            return nil
        }
        guard status.origin() == url.origin() else {
            reading.valueError(
                field, "'\(field.path)' names another server than 'url', which would get the login, too",
                expected: "an address at \(url.host)")
            return nil
        }
        return .some(CallSettings.Status(callPath: callPath, target: Secret(status.target), keyPath: keyPath))
    }
}

extension ValueKind where Value == String {
    /// With the country's code: a national number, such as that of the police, is none.
    fileprivate static var calledNumber: Self {
        let expected = "a telephone number with its country, such as '+431234567'"
        return Self { reading, field in
            guard let text = reading.text(field, expected: expected) else { return nil }
            let digits = text.filter { $0 != "+" }
            if ConfigurationText.isDigits(digits, 2...5) {
                return reading.refuse(
                    field,
                    "'\(field.path)' is a short number, such as those of police and ambulance: a machine must not call them",
                    expected: "the number of a person who sees whether help is needed")
            }
            if text.hasPrefix("+"), ConfigurationText.isDigits(text.dropFirst(), 8...15) { return text }
            return reading.refuse(field, "'\(field.path)' is no telephone number", expected: expected)
        }
    }

    /// Keys of JSON with dots between.
    fileprivate static var answerPath: Self {
        .text("keys of the provider's answer with dots between, such as data.id") { text in
            text.utf8.count <= 200 && !ConfigurationText.hasControl(text)
                && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
        }
    }
}

extension ValueKind where Value == [CallSettings.Parameter] {
    /// Names with texts; a mapping or a list as a value is sent as the text of its JSON.
    fileprivate static var parameters: Self {
        Self { reading, field in
            reading.holdsSecret = true
            return reading.named(field).map { entry in
                if case .scalar(let text, _) = entry.value.content { return .init(entry.key, Secret(text)) }
                return .init(entry.key, Secret(entry.value.template.text))
            }
        }
    }
}

extension ValueKind where Value == Secret {
    /// What is written there, as the text of JSON.
    fileprivate static var template: Self {
        Self { reading, field in
            reading.holdsSecret = true
            if case .scalar = field.value.content {
                return reading.refuse(
                    field, "'\(field.path)' holds \(field.value.kind)",
                    expected: "a mapping or a list, as the provider wants it")
            }
            return Secret(field.value.template.text)
        }
    }
}

extension YAMLNode {
    /// The same as JSON: plain numbers, true, false and null as such, everything else as text.
    fileprivate var template: JSON {
        switch content {
        case .scalar(let text, .quoted): .string(text)
        case .scalar(let text, .plain):
            if isNull {
                .null
            } else if text == "true" || text == "false" {
                .bool(text == "true")
            } else {
                ConfigurationText.decimal(text).map { .integer(Int64($0)) } ?? .string(text)
            }
        case .sequence(let nodes): .array(nodes.map(\.template))
        case .mapping(let entries): .object(entries.map { JSON.Member(key: $0.key, value: $0.value.template) })
        }
    }
}

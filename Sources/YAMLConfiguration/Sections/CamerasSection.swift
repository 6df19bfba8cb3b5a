import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol

/// A line of `cameras`: a camera that gives a picture at a URL.
struct CameraEntry: SettingsSection {
    private var url: HTTPURL?
    private var login = Login()
    private var fingerprint: [UInt8]?
    private var mayAskPlainBasic = false
    private var zones: [Int] = []
    private var atEntry = false

    static let table: [Setting<Self>] = {
        let addresses = "the address of its picture, such as http://192.168.1.60/snapshot.jpg"
        return [
            .init("url", .url(addresses), \.url).secret.required("% has no url", ": \(addresses)"),
            .init("fingerprint", .fingerprint, \.fingerprint),
            .init("plain_basic", .flag, \.mayAskPlainBasic),
            .init("zones", .someList(of: .integer(1...64), "numbers of zones, such as [1, 4]"), \.zones),
            .init("at_entry", .flag, \.atEntry),
        ] + Login.table.within(\.login)
    }()

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        let login = login.checked(section, &reading)
        guard let url else { return }
        var camera = Camera(name: "", url: url)
        camera.user = login?.user
        camera.password = login?.password
        camera.fingerprint = fingerprint
        camera.mayAskPlainBasic = mayAskPlainBasic
        camera.zones = zones
        camera.atEntry = atEntry
        if fingerprint != nil, !url.isEncrypted, let field = section["fingerprint"] {
            reading.valueError(
                field, "'\(field.path)' pins a certificate, and the address begins with http://", expected: "https://")
        }
        if let field = section["plain_basic"], url.isEncrypted {
            reading.warning(
                field, "'\(field.path)' is not needed: the address begins with https://", expected: "the line left out")
        }
        reading.draft.cameras.append(camera)
    }
}

/// `pictures`: what becomes of what cameras show.
struct PicturesSection: SettingsSection {
    /// nil: where there is a topic server.
    private var goToApp: Bool?
    private var goToStoreApps = false
    /// nil: where there is one.
    private var goByMail: Bool?
    /// nil: where the broker is in the house. Another one would see the pictures.
    private var goToHomeAssistant: Bool?
    private var keptDays = 30
    private var keptMegabytes = 64
    private var socket: String?
    fileprivate var authorities = PictureAuthorities()

    static let table: [Setting<Self>] = [
        .init("app", .flag, \.goToApp),
        .init("store_apps", .flag, \.goToStoreApps),
        .init("mail", .flag, \.goByMail),
        .init("home_assistant", .flag, \.goToHomeAssistant),
        .init("days", .integer(1...365), \.keptDays),
        .init("megabytes", .integer(4...2000), \.keptMegabytes),
        .init("socket", .socket(of: "howalarming-picture.socket"), \.socket),
    ]

    /// Servers that pictures go to where they are configured.
    fileprivate func goes(to server: PictureAuthorities.Server, _ phones: PhoneSettings) -> Bool {
        switch server {
        case .topics: goToStoreApps || goToApp ?? true
        case .mail: goByMail ?? true
        case .broker: goToHomeAssistant ?? phones.broker.map { HouseName.isInHouse($0.host) } ?? false
        }
    }

    /// What the owner has written that wants a server: the key, for whom, and the server's section.
    fileprivate var wanted: [(key: String, whom: String, server: PictureAuthorities.Server)] {
        let all: [(Bool, key: String, whom: String, server: PictureAuthorities.Server)] = [
            (goToApp == true, "app", "to the app", .topics), (goToStoreApps, "store_apps", "to store apps", .topics),
            (goByMail == true, "mail", "by mail", .mail),
            (goToHomeAssistant == true, "home_assistant", "to Home Assistant", .broker),
        ]
        return all.filter(\.0).map { ($0.key, $0.whom, $0.server) }
    }

    func settings(_ cameras: [Camera], _ phones: PhoneSettings) -> CameraSettings? {
        guard !cameras.isEmpty else { return nil }
        var settings = CameraSettings(cameras: cameras)
        settings.goToApp = goToApp ?? true && phones.topicServer != nil
        settings.goToStoreApps = goToStoreApps && phones.topicServer != nil
        settings.goByMail = goByMail ?? true && phones.mailServer != nil
        settings.goToHomeAssistant = goes(to: .broker, phones) && phones.broker?.discoveryPrefix != nil
        settings.keptDays = keptDays
        settings.keptBytes = keptMegabytes << 20
        settings.authorities = authorities
        if let socket { settings.socket = socket }
        return settings
    }
}

extension SettingsReading {
    static let cameraLimit = 8

    /// Once the secrets file and the channels are read.
    mutating func readCameras() {
        let fields = cameras.map { named($0) } ?? []
        for (index, field) in fields.enumerated() {
            guard Camera.isName(field.key) else {
                report(
                    at: field.place, field.path, "'\(field.path)' is no name for a camera",
                    expected: "at most 40 letters, digits, blanks, - and _")
                continue
            }
            guard index < Self.cameraLimit else {
                return report(
                    at: field.place, field.path, "there are more than \(Self.cameraLimit) cameras",
                    expected: "those that see a zone that matters")
            }
            guard claim("cameras.\(field.key.lowercased())", called: "'\(field.path)'", by: field) else { continue }
            var entry = CameraEntry()
            let before = draft.cameras.count
            guard read(field, into: &entry), draft.cameras.count > before else { continue }
            draft.cameras[before].name = field.key
            checkZones(of: draft.cameras[before], field)
        }
        if !fields.isEmpty, let cameras {
            for (key, whom, server) in draft.pictures.wanted where !has(server) {
                let section = server.setting.prefix { $0 != "." }
                report(
                    at: cameras.place, "pictures.\(key)", "pictures are to go \(whom), and there is no '\(section)'",
                    expected: "a section '\(section)', or '\(key): false'")
            }
        }
        for server in PictureAuthorities.Server.allCases { readAuthorities(of: server) }
    }

    private func has(_ server: PictureAuthorities.Server) -> Bool {
        switch server {
        case .topics: draft.phones.settings.topicServer != nil
        case .mail: draft.phones.settings.mailServer != nil
        case .broker: draft.phones.settings.broker?.discoveryPrefix != nil
        }
    }

    private func authorityFile(of server: PictureAuthorities.Server) -> String? {
        switch server {
        case .topics: return draft.phones.settings.topicServer?.authorityFile
        case .mail: return draft.phones.settings.mailServer?.caFile
        case .broker:
            guard case .tls(let file)? = draft.phones.settings.broker?.security else { return nil }
            return file
        }
    }

    private mutating func checkZones(of camera: Camera, _ field: Field) {
        let known = draft.zones.map(\.number)
        for zone in camera.zones where !known.isEmpty && !known.contains(zone) {
            report(
                at: field.place, field.path, "'\(field.path)' sees zone \(zone), which 'zones' does not name",
                expected: "one of 'zones'")
        }
    }

    /// Pictures are sent by a process that cannot read the daemon's files.
    private mutating func readAuthorities(of server: PictureAuthorities.Server) {
        guard draft.pictures.goes(to: server, draft.phones.settings), has(server), let field = cameras,
            let path = authorityFile(of: server),
            let file = file(path, of: field, called: "the certificates of '\(server.setting)'", expected: "a PEM file")
        else { return }
        draft.pictures.authorities[server] = String(
            decoding: file.bytes.prefix(FetchRequest.longestAuthorities), as: UTF8.self)
    }

    /// The secrets file's part: addresses and passwords of cameras that the main file names.
    mutating func addCameraSecrets(_ field: Field) {
        for camera in named(field) {
            _ = section(camera, known: CameraEntry.table.movable.keys)
            guard cameras?.value[[camera.key]] != nil else {
                report(
                    at: camera.place, camera.path,
                    "'\(camera.path)' stands in the secrets file only, so nothing uses it",
                    expected: "'\(camera.path)' in the main file, too")
                continue
            }
            for key in CameraEntry.table.movable.keys {
                guard let node = camera.value[[key]] else { continue }
                let path = [camera.key, key]
                if cameras?.value[path].map({ !$0.isBlank }) ?? false {
                    report(
                        at: ConfigurationPlace(file: file, mark: node.mark), "\(camera.path).\(key)",
                        "'\(camera.path).\(key)' is set in both files", expected: "one of the two")
                } else {
                    cameras?.value.insert(node, at: path)
                }
            }
        }
    }
}

extension ValueKind where Value == [UInt8] {
    /// SHA-256 of a certificate, as browsers show it.
    fileprivate static var fingerprint: Self {
        Self("the SHA-256 fingerprint of its certificate, 64 hexadecimal digits", otherwise: "holds no fingerprint") {
            let digits = $0.filter { $0 != ":" && $0 != " " }
            guard digits.utf8.count == 64 else { return nil }
            return try? Hex.decode(digits)
        }
    }
}

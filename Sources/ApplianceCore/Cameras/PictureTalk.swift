package import AlarmModel
import PhoneLink
package import PhoneProtocol

/// What the core asks of the taker of pictures (`run-picture`), a process without the daemon's rights: one line of JSON.
package struct PictureRequest: Hashable, Sendable {
    package enum Task: Hashable, Sendable {
        /// Take a picture, keep it, and send it on.
        case take(Shot)
        /// Delete what is too old or too much.
        case tidy
        /// Delete all pictures.
        case forget
    }

    package struct Shot: Hashable, Sendable {
        package var camera: Camera
        /// Of the picture, in UTC.
        package var time: WallTime
        /// Where it is sent.
        package var uploads: [PictureUpload]
        /// Trusted instead of the system's authorities where it is sent.
        package var authorities = PictureAuthorities()
        /// The network interface to send it by; nil: as the routes say. The camera is in the house.
        package var link: String?

        package init(camera: Camera, time: WallTime, uploads: [PictureUpload] = [], link: String? = nil) {
            self.camera = camera
            self.time = time
            self.uploads = uploads
            self.link = link
        }
    }

    package var task: Task
    package var keptDays: Int
    package var keptBytes: Int

    /// Bytes of a line: 32 uploads and three files of authorities.
    package static let longest = 64 * 1024 + 6 * FetchRequest.longestAuthorities

    package init(_ task: Task, keptDays: Int, keptBytes: Int) {
        self.task = task
        self.keptDays = keptDays
        self.keptBytes = keptBytes
    }

    package var json: JSON {
        var members: [JSON.Member] = [
            .init(key: "days", value: .integer(Int64(keptDays))),
            .init(key: "bytes", value: .integer(Int64(keptBytes))),
        ]
        func add(_ key: String, _ value: JSON?) {
            if let value { members.append(.init(key: key, value: value)) }
        }
        switch task {
        case .tidy: add("do", .string("tidy"))
        case .forget: add("do", .string("forget"))
        case .take(let shot):
            add("do", .string("take"))
            add("name", .string(shot.camera.name))
            add("url", .string(shot.camera.url.description))
            add("user", shot.camera.user.map { .string($0) })
            add("password", shot.camera.password.map { .string($0.revealed) })
            add("fingerprint", shot.camera.fingerprint.map { .string(Hex.encode($0)) })
            add("plainBasic", .bool(shot.camera.mayAskPlainBasic))
            add("time", .integer(shot.time.seconds))
            add("to", .array(shot.uploads.map(\.json)))
            for (server, pem) in shot.authorities.files { add("authorities of " + server.rawValue, .string(pem)) }
            add("link", shot.link.map { .string($0) })
        }
        return .object(members)
    }

    /// nil: it is none.
    package init?(_ line: [UInt8]) {
        guard let json = try? JSON(parsing: line, limits: JSON.Limits(depth: 4, bytes: Self.longest)),
            let days = json["days"]?.integerValue.flatMap({ Int(exactly: $0) }), days > 0,
            let bytes = json["bytes"]?.integerValue.flatMap({ Int(exactly: $0) }), bytes > 0
        else { return nil }
        switch json["do"]?.stringValue {
        case "tidy": self.init(.tidy, keptDays: days, keptBytes: bytes)
        case "forget": self.init(.forget, keptDays: days, keptBytes: bytes)
        case "take":
            guard let shot = Shot(json) else { return nil }
            self.init(.take(shot), keptDays: days, keptBytes: bytes)
        default: return nil
        }
    }
}

extension PictureRequest.Shot {
    fileprivate init?(_ json: JSON) {
        guard let name = json["name"]?.stringValue, Camera.isName(name),
            let url = json["url"]?.stringValue.flatMap({ try? HTTPURL($0) }),
            let time = json["time"]?.integerValue, case .array(let uploads)? = json["to"]
        else { return nil }
        var camera = Camera(name: name, url: url)
        camera.user = json["user"]?.stringValue
        camera.password = json["password"]?.stringValue.map { Secret($0) }
        camera.fingerprint = json["fingerprint"]?.stringValue.flatMap { try? Hex.decode($0) }
        camera.mayAskPlainBasic = json["plainBasic"]?.boolValue ?? false
        self.init(
            camera: camera, time: WallTime(milliseconds: time.multipliedReportingOverflow(by: 1000).partialValue),
            uploads: uploads.compactMap { PictureUpload($0) }, link: json["link"]?.stringValue)
        for server in PictureAuthorities.Server.allCases {
            authorities[server] = json["authorities of " + server.rawValue]?.stringValue
        }
    }
}

extension Camera {
    /// It is part of a file's name.
    package static func isName(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count) && !text.hasPrefix(" ") && !text.hasSuffix(" ")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: " "):
                    true
                default: false
                }
            }
    }
}

/// What the taker of pictures says, each in one line of JSON. `kept` and `sealed` may be followed by one of the others.
package enum PictureAnswer: Hashable, Sendable {
    /// The picture is on the card.
    case kept(bytes: Int)
    /// It lies sealed at the topic server, for the apps.
    case sealed(PictureReference)
    /// All is done; so many uploads went through.
    case done(sent: Int)
    /// The camera gave no picture, or it could not be kept.
    case failed(String)
    /// It is kept, and a topic did not take it.
    case unsent(String)

    /// Bytes of a line.
    package static let longest = 4096

    package var isLast: Bool {
        switch self {
        case .kept, .sealed: false
        case .done, .failed, .unsent: true
        }
    }

    package var json: JSON {
        switch self {
        case .kept(let bytes): .object(["kept": .integer(Int64(bytes))])
        case .sealed(let reference): .object(["sealed": reference.form])
        case .done(let sent): .object(["done": .integer(Int64(sent))])
        case .failed(let why): .object(["failed": .string(why)])
        case .unsent(let why): .object(["unsent": .string(why)])
        }
    }

    /// nil: it is none of them.
    package init?(_ line: [UInt8]) {
        guard let json = try? JSON(parsing: line, limits: JSON.Limits(depth: 2, bytes: Self.longest)) else {
            return nil
        }
        if let bytes = json["kept"]?.integerValue.flatMap({ Int(exactly: $0) }), bytes >= 0 {
            self = .kept(bytes: bytes)
        } else if let form = json["sealed"] {
            guard let reference = PictureReference(form: form) else { return nil }
            self = .sealed(reference)
        } else if let sent = json["done"]?.integerValue.flatMap({ Int(exactly: $0) }), sent >= 0 {
            self = .done(sent: sent)
        } else if let why = json["failed"]?.stringValue {
            self = .failed(why)
        } else if let why = json["unsent"]?.stringValue {
            self = .unsent(why)
        } else {
            return nil
        }
    }
}

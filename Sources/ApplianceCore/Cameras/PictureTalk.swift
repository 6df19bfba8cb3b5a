package import AlarmModel
import PhoneLink
package import PhoneProtocol

/// What the core asks of the taker of pictures (`run-picture`), a process without the daemon's rights: one line of JSON.
package struct PictureRequest: Equatable, Sendable {
    package enum Task: Equatable, Sendable {
        /// Take a picture, keep it, and send it on.
        case take(Shot)
        /// Delete what is too old or too much.
        case tidy
        /// Delete all pictures.
        case forget
        /// Seal pictures that are kept anew, and put them where the apps find them.
        case again(Again)

        package var isAgain: Bool { if case .again = self { true } else { false } }
    }

    package struct Shot: Equatable, Sendable {
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

    package struct Again: Equatable, Sendable {
        /// Of the pictures, in UTC; both seconds are meant, too.
        package var from: WallTime
        package var until: WallTime
        /// So many pictures; the oldest go.
        package var most: Int
        /// The names that are configured: a file's name alone does not tell a camera `Street 2` from the second picture
        /// of `Street` in a second.
        package var cameras: [String]
        /// Where each of them is sent.
        package var uploads: [PictureUpload] = []
        package var authorities = PictureAuthorities()
        /// As that of `Shot`.
        package var link: String?

        /// From `from` to `until`.
        package static let longest = Duration.seconds(60)

        package init(from: WallTime, until: WallTime, most: Int, cameras: [String]) {
            (self.from, self.until, self.most, self.cameras) = (from, until, most, cameras)
        }
    }

    package var task: Task
    package var keptDays: Int
    package var keptBytes: Int
    /// Time at which the servers' certificates are judged; nil: by the clock of the process.
    package var now: WallTime?

    /// Bytes of a line: 32 uploads and three files of authorities.
    package static let longest = 64 * 1024 + 6 * FetchRequest.longestAuthorities

    package init(_ task: Task, keptDays: Int, keptBytes: Int, now: WallTime? = nil) {
        self.task = task
        self.now = now
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
        func addWay(_ uploads: [PictureUpload], _ authorities: PictureAuthorities, _ link: String?) {
            add("to", .array(uploads.map(\.json)))
            for (server, pem) in authorities.files { add("authorities of " + server.rawValue, .string(pem)) }
            add("link", link.map { .string($0) })
        }
        add("now", now.map { .integer($0.milliseconds) })
        switch task {
        case .tidy: add("do", .string("tidy"))
        case .forget: add("do", .string("forget"))
        case .again(let again):
            add("do", .string("again"))
            add("from", .integer(again.from.seconds))
            add("until", .integer(again.until.seconds))
            add("most", .integer(Int64(again.most)))
            add("cameras", .array(again.cameras.map { .string($0) }))
            addWay(again.uploads, again.authorities, again.link)
        case .take(let shot):
            add("do", .string("take"))
            add("name", .string(shot.camera.name))
            add("url", .string(shot.camera.url.description))
            add("user", shot.camera.user.map { .string($0) })
            add("password", shot.camera.password.map { .string($0.revealed) })
            add("fingerprint", shot.camera.fingerprint.map { .string(Hex.encode($0)) })
            add("plainBasic", .bool(shot.camera.mayAskPlainBasic))
            add("time", .integer(shot.time.seconds))
            addWay(shot.uploads, shot.authorities, shot.link)
        }
        return .object(members)
    }

    /// nil: it is none.
    package init?(_ line: [UInt8]) {
        guard let json = try? JSON(parsing: line, limits: JSON.Limits(depth: 4, bytes: Self.longest)),
            let days = json["days"]?.integerValue.flatMap({ Int(exactly: $0) }), days > 0,
            let bytes = json["bytes"]?.integerValue.flatMap({ Int(exactly: $0) }), bytes > 0
        else { return nil }
        let task: Task
        switch json["do"]?.stringValue {
        case "tidy": task = .tidy
        case "forget": task = .forget
        case "take":
            guard let shot = Shot(json) else { return nil }
            task = .take(shot)
        case "again":
            guard let again = Again(json) else { return nil }
            task = .again(again)
        default: return nil
        }
        let now = json["now"]?.integerValue.map { WallTime(milliseconds: $0) }
        self.init(task, keptDays: days, keptBytes: bytes, now: now)
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
        authorities = PictureAuthorities(json)
    }
}

extension PictureRequest.Again {
    fileprivate init?(_ json: JSON) {
        guard let from = json["from"]?.integerValue, let until = json["until"]?.integerValue,
            (0...Self.latest).contains(from), (from...from + Self.longest.components.seconds).contains(until),
            let most = json["most"]?.integerValue.flatMap({ Int(exactly: $0) }), most > 0,
            case .array(let cameras)? = json["cameras"], case .array(let uploads)? = json["to"]
        else { return nil }
        self.init(
            from: WallTime(milliseconds: from * 1000), until: WallTime(milliseconds: until * 1000), most: most,
            cameras: cameras.compactMap(\.stringValue))
        self.uploads = uploads.compactMap { PictureUpload($0) }
        authorities = PictureAuthorities(json)
        link = json["link"]?.stringValue
        // One place for each of them, which tells where it lies.
        guard self.uploads.count == 1, self.uploads[0].isSealed else { return nil }
    }

    /// Seconds since 1970; some thousand years.
    private static let latest: Int64 = 1 << 36
}

extension PictureAuthorities {
    fileprivate init(_ json: JSON) {
        self.init()
        for server in Server.allCases { self[server] = json["authorities of " + server.rawValue]?.stringValue }
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

/// What the taker of pictures says, each in one line of JSON. `kept` and `sealed` may be followed by one of the others;
/// of pictures that are sealed anew there is a `sealed` for each.
package enum PictureAnswer: Equatable, Sendable {
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

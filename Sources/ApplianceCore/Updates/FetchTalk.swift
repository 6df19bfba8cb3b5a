package import PhoneProtocol

/// What the core asks of the fetcher (`run-fetch`), a process without the daemon's rights: one line of JSON.
package struct FetchRequest: Equatable, Sendable {
    package enum Task: String, Equatable, Sendable, CaseIterable {
        /// What is offered?
        case ask
        /// The same, and the bundle is put where the updater finds it.
        case get
        /// What came of the updater's work on it?
        case follow
    }

    package var task: Task
    package var url: String
    /// In PEM form, trusted instead of the system's.
    package var authorities: String?
    /// The network interface to go out by; nil: as the routes say.
    package var link: String?
    /// The highest number of an offer that was taken before.
    package var seen: Int64
    /// Time at which certificates and offers are judged, in seconds since 1970.
    package var now: Int64

    /// Of a file of authorities, in bytes: each certificate takes some 2000.
    package static let longestAuthorities = 64 * 1024
    /// Twice as long, because a line's end takes two bytes.
    package static let longest = 8192 + 2 * longestAuthorities

    package init(_ task: Task, url: String, authorities: String? = nil, link: String?, seen: Int64, now: Int64) {
        self.task = task
        self.url = url
        self.authorities = authorities
        self.link = link
        self.seen = seen
        self.now = now
    }

    package var json: JSON {
        .object([
            "do": .string(task.rawValue), "url": .string(url),
            "authorities": authorities.map { .string($0) },
            "link": link.map { .string($0) }, "seen": .integer(seen), "now": .integer(now),
        ])
    }

    /// nil: it is none.
    package init?(_ line: [UInt8]) {
        guard let json = try? JSON(parsing: line, limits: JSON.Limits(depth: 2, bytes: Self.longest)),
            let task = json["do"]?.stringValue.flatMap(Task.init(rawValue:)), let url = json["url"]?.stringValue,
            let seen = json["seen"]?.integerValue, let now = json["now"]?.integerValue
        else { return nil }
        self.init(
            task, url: url, authorities: json["authorities"]?.stringValue, link: json["link"]?.stringValue, seen: seen,
            now: now)
    }
}

/// What the fetcher says, each in one line of JSON. All but `progress` is its last word.
package enum FetchAnswer: Equatable, Sendable {
    /// What is offered, its signature checked.
    case offer(Offer)
    /// 0…100, of the download or of the updater's work.
    case progress(Int)
    /// The bundle is whole and lies there.
    case got(Offer)
    /// It lies in the other slot.
    case installed
    /// The host was not reached, or what it gave is not what was asked for.
    case failed(String)
    /// What it offers must not be believed, or the updater refuses it: somebody has to know.
    case refused(String)

    package struct Offer: Equatable, Sendable {
        /// Of the offer itself.
        package var number: Int64
        package var version: String
        /// Than what runs.
        package var isNewer: Bool

        package init(number: Int64, version: String, isNewer: Bool) {
            self.number = number
            self.version = version
            self.isNewer = isNewer
        }

        fileprivate var json: JSON {
            .object(["number": .integer(number), "version": .string(version), "newer": .bool(isNewer)])
        }

        fileprivate init?(_ json: JSON) {
            guard let number = json["number"]?.integerValue, let version = json["version"]?.stringValue,
                let isNewer = json["newer"]?.boolValue, number >= 0, (1...64).contains(version.utf8.count)
            else { return nil }
            self.init(number: number, version: version, isNewer: isNewer)
        }
    }

    /// Bytes of a line.
    package static let longest = 4096

    package var json: JSON {
        switch self {
        case .offer(let offer): .object(["offer": offer.json])
        case .progress(let percent): .object(["progress": .integer(Int64(percent))])
        case .got(let offer): .object(["got": offer.json])
        case .installed: .object(["installed": .bool(true)])
        case .failed(let why): .object(["failed": .string(why)])
        case .refused(let why): .object(["refused": .string(why)])
        }
    }

    /// nil: it is none of them.
    package init?(_ line: [UInt8]) {
        guard let json = try? JSON(parsing: line, limits: JSON.Limits(depth: 3, bytes: Self.longest)) else {
            return nil
        }
        if let offer = json["offer"].flatMap(Offer.init) {
            self = .offer(offer)
        } else if let percent = json["progress"]?.integerValue, (0...100).contains(percent) {
            self = .progress(Int(percent))
        } else if let offer = json["got"].flatMap(Offer.init) {
            self = .got(offer)
        } else if json["installed"] == .bool(true) {
            self = .installed
        } else if let why = json["failed"]?.stringValue {
            self = .failed(why)
        } else if let why = json["refused"]?.stringValue {
            self = .refused(why)
        } else {
            return nil
        }
    }

    /// Where the bundle is put, for the fetcher and for the updater; the fetcher's own directory.
    package static let directory = "/data/howalarming-fetch"
    package static let bundleName = "update.bundle"
    package static var bundle: String { "\(directory)/\(bundleName)" }
}

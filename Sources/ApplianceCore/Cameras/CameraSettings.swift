package import AlarmModel
package import PhoneLink

/// `cameras`: which cameras show what happens in an alarm, and what becomes of their pictures.
package struct CameraSettings: Codable, Equatable, Sendable {
    /// In the order of the file.
    package var cameras: [Camera]
    /// Pictures go sealed to the app; the topic server sees their size and when they come.
    package var goToApp = true
    /// Pictures go to the store apps of people, too; the topic server can see them.
    package var goToStoreApps = false
    /// Pictures go to those who get mail of alarms; nil: an older recording, in which they did not.
    package var goByMail: Bool?
    /// Home Assistant shows the last picture of each camera; nil: an older recording, in which it did not.
    package var goToHomeAssistant: Bool?
    /// Older ones are deleted.
    package var keptDays = 30
    /// All pictures together; the oldest go first.
    package var keptBytes = 64 << 20
    /// Of the servers that pictures go to; nil: the system's.
    package var authorities: PictureAuthorities?
    /// Of the taker of pictures, in the file system.
    package var socket = "/run/howalarming-picture/socket"

    package init(cameras: [Camera]) { self.cameras = cameras }

    /// Their names.
    var shownInHomeAssistant: [String] { goToHomeAssistant == true ? cameras.map(\.name) : [] }
}

/// What `status` shows of a camera.
package struct CameraReport: Codable, Equatable, Sendable {
    package var name: String
    /// Of this run of the daemon.
    package var lastPicture: WallTime?
    /// What was wrong the last time.
    package var problem: String?

    package init(name: String, lastPicture: WallTime? = nil, problem: String? = nil) {
        self.name = name
        self.lastPicture = lastPicture
        self.problem = problem
    }
}

/// A camera that gives a JPEG picture at a URL.
package struct Camera: Codable, Equatable, Sendable {
    /// At most 40 letters, digits, blanks, `-` and `_`.
    package var name: String
    /// The URL without its path.
    private var place: HTTPURL
    /// Path and query, in which many cameras want the password.
    private var target: Secret
    package var user: String?
    package var password: Secret?
    /// SHA-256 of the camera's certificate; nil: it is certified as servers on the Internet are, or there is none.
    package var fingerprint: [UInt8]?
    /// The password may be sent as it is, without encryption.
    package var mayAskPlainBasic = false
    /// The zones that it sees; empty: every alarm is one of its own.
    package var zones: [Int] = []
    /// A picture is taken when the entry delay begins.
    package var atEntry = false

    package init(name: String, url: HTTPURL) {
        self.name = name
        target = Secret(url.target)
        place = url
        place.target = "/"
    }

    /// Where it gives a picture.
    package var url: HTTPURL {
        var url = place
        url.target = target.revealed
        return url
    }

    /// Whether it shows what this event tells. Duress is shown by none: whoever forces somebody may watch the network.
    package func sees(_ event: Event) -> Bool {
        guard !event.flags.contains(.duress), !event.flags.contains(.maintenance) else { return false }
        if event.flags.contains(.testAlarm) { return true }
        if event.panelNotice == .entryDelay { return atEntry }
        guard event.type == .alarm else { return false }
        guard !zones.isEmpty else { return true }
        return event.zone.map { zones.contains($0) } ?? false
    }
}

package import AlarmModel
package import PhoneLink

/// `updates`: a host of the owner's choice that is asked for a newer version.
package struct UpdateSource: Codable, Equatable, Sendable {
    package enum Installing: String, Codable, Equatable, Sendable, CaseIterable {
        /// When somebody asks for it.
        case asked
        /// Of its own accord, between two and four.
        case night
    }

    /// What the file of `ca_file` held: the fetcher cannot read the daemon's files.
    package struct Authorities: Codable, Equatable, Sendable {
        package var file: String
        package var pem: String

        private enum CodingKeys: String, CodingKey {
            case file = "authorityFile", pem = "pem"
        }

        package init(file: String, pem: String) {
            self.file = file
            self.pem = pem
        }
    }

    /// Of the offer (`SignedOffer`); encrypted.
    package var url: HTTPURL
    package var installing: Installing
    /// Trusted instead of the system's.
    package var authorities: Authorities?
    /// From one question to the next, at most.
    package var interval: Duration = .hours(24)
    /// Of the fetcher, in the file system.
    package var socket = "/run/howalarming-fetch/socket"

    package init(_ url: HTTPURL, installing: Installing = .asked, authorities: Authorities? = nil) {
        self.url = url
        self.installing = installing
        self.authorities = authorities
    }

    /// For people: without the path.
    package var place: String { PeerText.printable(url.host, limit: 100) }
}

/// What somebody at the box wants of the host that offers versions.
package enum UpdatesRequest: String, Codable, Equatable, Sendable, CaseIterable {
    /// Ask it now.
    case ask
    /// Install what it offers.
    case install
}

/// What `status` shows of it.
package struct UpdatesReport: Codable, Equatable, Sendable {
    package var place: String
    /// The version that can be installed; nil: none that is newer.
    package var offered: String?
    /// It lies in the other slot and starts with the next restart.
    package var isInstalled = false
    package var isAtNight: Bool
    /// What is being done, or why nothing is, in words; nil: nothing is to be said.
    package var doing: String?
    /// What was wrong the last time.
    package var problem: String?
    /// When the host told last what it offers.
    package var lastAnswered: WallTime?

    package init(place: String, isAtNight: Bool) {
        self.place = place
        self.isAtNight = isAtNight
    }
}

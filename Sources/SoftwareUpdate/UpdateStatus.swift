package import PhoneProtocol

/// How far an update is; one line of JSON in a file that everybody on the machine can read.
package struct UpdateStatus: Codable, Equatable, Sendable {
    package enum Phase: String, Codable, Hashable, Sendable, CaseIterable {
        case checking, writing
        case readingBack = "reading back"
        case done, refused, failed

        /// Nothing more follows.
        package var isOver: Bool {
            switch self {
            case .checking, .writing, .readingBack: false
            case .done, .refused, .failed: true
            }
        }
    }

    package var phase: Phase
    /// 0…100 of this phase.
    package var percent: Int
    /// One sentence for people.
    package var message: String

    package init(_ phase: Phase, percent: Int, _ message: String) {
        self.phase = phase
        self.percent = percent
        self.message = message
    }

    package var json: JSON {
        .object([
            "phase": .string(phase.rawValue), "percent": .integer(Int64(percent)), "message": .string(message),
        ])
    }

    /// nil when it is none.
    package init?(file: [UInt8]) {
        guard let json = try? JSON(parsing: file, limits: JSON.Limits(depth: 4, bytes: 16 * 1024)),
            let phase = json["phase"]?.stringValue.flatMap(Phase.init(rawValue:)),
            let percent = json["percent"]?.integerValue, (0...100).contains(percent),
            let message = json["message"]?.stringValue
        else { return nil }
        self.init(phase, percent: Int(percent), message)
    }
}

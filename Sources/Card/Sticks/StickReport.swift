package import PhoneProtocol

/// What came of a request for a stick; one line of JSON in a file that the console reads.
package struct StickReport: Equatable, Sendable {
    package enum Phase: String, Hashable, Sendable, CaseIterable {
        case working, done, failed
    }

    /// A file on the stick that can be used here. What it says of itself is not checked yet.
    package struct Item: Equatable, Sendable {
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            case backup, version
        }
        package var kind: Kind
        /// Its name on the stick.
        package var file: String
        /// Of a version: what it is called. Empty for a backup.
        package var version: String
        /// A version that is not newer than what runs.
        package var isOlder: Bool

        package init(kind: Kind, file: String, version: String = "", isOlder: Bool = false) {
            self.kind = kind
            self.file = file
            self.version = version
            self.isOlder = isOlder
        }
    }

    /// Of the request.
    package var id: Int64
    package var phase: Phase
    /// For people: what happened and what to do next.
    package var message: String
    package var items: [Item]

    package init(id: Int64, _ phase: Phase, _ message: String, items: [Item] = []) {
        self.id = id
        self.phase = phase
        self.message = message
        self.items = items
    }

    package var json: JSON {
        .object([
            "id": .integer(id), "phase": .string(phase.rawValue), "message": .string(message),
            "items": .array(
                items.map { item in
                    .object([
                        "kind": .string(item.kind.rawValue), "file": .string(item.file),
                        "version": .string(item.version), "older": .bool(item.isOlder),
                    ])
                }),
        ])
    }

    /// nil when it is none.
    package init?(file: [UInt8]) {
        guard let json = try? JSON(parsing: file, limits: JSON.Limits(depth: 4, bytes: 64 * 1024)),
            let id = json["id"]?.integerValue, let message = json["message"]?.stringValue,
            let phase = json["phase"]?.stringValue.flatMap(Phase.init(rawValue:)),
            let items = json["items"]?.arrayValue
        else { return nil }
        self.init(id: id, phase, message, items: items.compactMap(Item.init))
    }
}

extension StickReport.Item {
    fileprivate init?(_ json: JSON) {
        guard let kind = json["kind"]?.stringValue.flatMap(Kind.init(rawValue:)),
            let file = json["file"]?.stringValue, let version = json["version"]?.stringValue,
            let isOlder = json["older"]?.boolValue
        else { return nil }
        self.init(kind: kind, file: file, version: version, isOlder: isOlder)
    }
}

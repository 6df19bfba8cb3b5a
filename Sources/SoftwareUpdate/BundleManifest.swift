import PhoneProtocol

/// What a bundle says of itself; signed.
package struct BundleManifest: Equatable, Sendable {
    package struct Part: Equatable, Sendable {
        package var name: String
        package var bytes: Int
        /// 32 bytes.
        package var sha256: [UInt8]
        /// A version that does not know the part passes it over and installs the rest.
        package var isOptional: Bool

        package init(name: String, bytes: Int, sha256: [UInt8], isOptional: Bool = false) {
            self.name = name
            self.bytes = bytes
            self.sha256 = sha256
            self.isOptional = isOptional
        }
    }

    package var release: ReleaseDescription
    package var parts: [Part]

    /// Bytes that a manifest may have.
    package static let longest = 64 * 1024
    package static let mostParts = 16
    /// The part that is written into a slot.
    package static let slotPart = "slot"

    package init(release: ReleaseDescription, parts: [Part]) {
        self.release = release
        self.parts = parts
    }

    package var slot: Part? { parts.first { $0.name == Self.slotPart } }

    /// The slot's place in the list.
    package var slotIndex: Int? { parts.firstIndex { $0.name == Self.slotPart } }

    /// As it stands in a bundle.
    package var bytes: [UInt8] {
        let parts = parts.map { part in
            let members = [
                JSON.Member(key: "name", value: .string(part.name)),
                JSON.Member(key: "bytes", value: .integer(Int64(part.bytes))),
                JSON.Member(key: "sha256", value: .string(Hex.encode(part.sha256))),
            ]
            return JSON.object(members + (part.isOptional ? [JSON.Member(key: "optional", value: .bool(true))] : []))
        }
        let head = release.json.objectValue ?? []
        return JSON.object(head + [JSON.Member(key: "parts", value: .array(parts))]).utf8
    }

    package init(_ bytes: [UInt8]) throws(BundleError) {
        let json: JSON
        do throws(JSONError) {
            json = try JSON(parsing: bytes, limits: JSON.Limits(depth: 8, bytes: Self.longest))
        } catch {
            throw .manifest(error.description)
        }
        release = try ReleaseDescription(json)
        guard let list = json["parts"]?.arrayValue, (1...Self.mostParts).contains(list.count) else {
            throw .manifest("'parts' is not a list of 1 to \(Self.mostParts)")
        }
        parts = []
        var total = 0
        for item in list {
            guard let name = item["name"]?.stringValue, ReleaseDescription.isName(name),
                !parts.contains(where: { $0.name == name })
            else { throw .manifest("a part has no name of its own") }
            guard let bytes = Int(exactly: try ReleaseDescription.count("bytes", in: item)), bytes > 0 else {
                throw .manifest("part '\(name)' has no size")
            }
            let (sum, overflow) = total.addingReportingOverflow(bytes)
            guard !overflow else { throw .manifest("the parts are too large") }
            total = sum
            guard let text = item["sha256"]?.stringValue, let hash = try? Hex.decode(text), hash.count == 32 else {
                throw .manifest("part '\(name)' has no SHA-256")
            }
            let isOptional = item["optional"] == .bool(true)
            parts.append(Part(name: name, bytes: bytes, sha256: hash, isOptional: isOptional))
        }
    }
}

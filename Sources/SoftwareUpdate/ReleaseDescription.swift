package import PhoneProtocol

/// What a release is: `release.json` in its root file system, and the head of a bundle's manifest.
package struct ReleaseDescription: Codable, Equatable, Sendable {
    /// The machine that it is built for: `virt`, `rpi`.
    package var board: String
    /// For people.
    package var version: String
    /// Orders versions.
    package var number: Int64
    /// The lowest number that may still be installed once this release has proved itself.
    package var floor: Int64
    /// When it was built, for people (RFC 3339).
    package var built: String

    package init(board: String, version: String, number: Int64, floor: Int64, built: String) {
        self.board = board
        self.version = version
        self.number = number
        self.floor = floor
        self.built = built
    }

    package var json: JSON {
        .object([
            "board": .string(board), "version": .string(version), "number": .integer(number),
            "floor": .integer(floor), "built": .string(built),
        ])
    }

    package init(_ json: JSON) throws(BundleError) {
        self.init(
            board: try Self.name("board", in: json), version: try Self.name("version", in: json),
            number: try Self.count("number", in: json), floor: try Self.count("floor", in: json),
            built: try Self.name("built", in: json))
        guard floor <= number else { throw .manifest("'floor' is above 'number'") }
    }

    /// Of the file `release.json`.
    package init(file: [UInt8]) throws(BundleError) {
        let json: JSON
        do throws(JSONError) {
            json = try JSON(parsing: file, limits: JSON.Limits(depth: 4, bytes: BundleManifest.longest))
        } catch {
            throw .manifest(error.description)
        }
        try self.init(json)
    }

    /// Letters, digits and some signs, so that it can stand in a file name and on a screen.
    package static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
                    UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "~"):
                    true
                default: false
                }
            }
    }

    private static func name(_ key: String, in json: JSON) throws(BundleError) -> String {
        guard let text = json[key]?.stringValue else { throw .manifest("'\(key)' is not there") }
        guard isName(text) else {
            throw .manifest("'\(key)' is not 1 to 64 letters, digits, '.', '-', '+', '_', ':' and '~'")
        }
        return text
    }

    static func count(_ key: String, in json: JSON) throws(BundleError) -> Int64 {
        guard let number = json[key]?.integerValue, number >= 0 else {
            throw .manifest("'\(key)' is not a number that is not negative")
        }
        return number
    }
}

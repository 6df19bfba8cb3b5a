package import AlarmModel

// The one form of a reference, with the key in clear: what the taker of pictures answers, what a row of the outbox holds
// until its message is delivered, and what stands in the sealed message. All values are strings.
extension PictureReference {
    package var form: JSON {
        .object([
            "cam": .string(camera), "url": .string(url), "secret": .string(key.revealed), "h": .string(hash),
            "n": .string("\(bytes)"), "x": .string("\(expires.seconds)"), "u": alarm.map { .string($0.text) },
        ])
    }

    /// nil when it is none, or leads where nothing may be fetched. Other members are passed over.
    package init?(form: JSON) {
        guard let camera = form["cam"]?.stringValue, (1...40).contains(camera.utf8.count),
            let url = form["url"]?.stringValue, Self.isAddress(url),
            let key = form["secret"]?.stringValue, Self.is32Bytes(key),
            let hash = form["h"]?.stringValue, Self.is32Bytes(hash),
            let bytes = Self.number(form["n"]), bytes > Self.tagBytes, bytes <= Self.longestPicture + Self.tagBytes,
            let expires = Self.number(form["x"])
        else { return nil }
        self.init(
            camera: camera, url: url, key: Secret(key), hash: hash, bytes: Int(bytes),
            expires: WallTime(milliseconds: Int64(expires) * 1000))
        if let mark = form["u"] {
            guard let mark = mark.stringValue.flatMap({ UnstoredMark($0) }) else { return nil }
            alarm = mark
        }
    }

    private static func isAddress(_ text: String) -> Bool {
        guard text.utf8.count <= longestURL, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return false }
        return text.hasPrefix("https://") || text.hasPrefix("http://127.0.0.1:")
    }

    private static func is32Bytes(_ text: String) -> Bool {
        text.utf8.count == 43
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Digits only; seconds of some centuries at most.
    private static func number(_ json: JSON?) -> Int64? {
        guard let text = json?.stringValue, (1...11).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int64(text)
    }
}

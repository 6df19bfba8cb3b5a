/// End of a JPEG picture (ITU-T T.81, annex B): the marker `FF D9`, behind at least one segment.
///
/// A picture that broke off lacks the marker. Some cameras pad behind it, or add data of their own.
enum JPEGEnd {
    private static let marker: UInt8 = 0xFF
    private static let endOfImage: UInt8 = 0xD9
    private static let startOfScan: UInt8 = 0xDA
    private static let padding: [UInt8] = [0x00, 0x0A, 0x0D, 0x20]

    /// Checks that a picture which begins with `FF D8 FF` has its end.
    static func isWhole(_ picture: [UInt8]) -> Bool {
        guard picture.count > 4, picture[3] != endOfImage else { return false }
        return endsWithMarker(picture) || hasEndBehindSegments(picture)
    }

    private static func endsWithMarker(_ picture: [UInt8]) -> Bool {
        guard let last = picture.lastIndex(where: { !padding.contains($0) }), last > 4 else { return false }
        return picture[last] == endOfImage && picture[last - 1] == marker
    }

    /// Follows the segments by their lengths, so that the end of a thumbnail inside one of them does not count.
    private static func hasEndBehindSegments(_ picture: [UInt8]) -> Bool {
        var place = 2
        while place + 1 < picture.count, picture[place] == marker {
            let code = picture[place + 1]
            switch code {
            case marker: place += 1
            case endOfImage: return true
            case 0x01, 0xD0...0xD7: place += 2
            default:
                guard place + 3 < picture.count else { return false }
                place += 2 + Int(picture[place + 2]) << 8 + Int(picture[place + 3])
                if code == startOfScan { place = endOfScan(in: picture, from: place) }
            }
        }
        return false
    }

    /// Place of the first marker behind the data of a scan, in which `FF 00` is a byte and `FF D0` to `FF D7` are restarts.
    private static func endOfScan(in picture: [UInt8], from start: Int) -> Int {
        var place = start
        while place + 1 < picture.count {
            if picture[place] == marker, picture[place + 1] != 0, !(0xD0...0xD7).contains(picture[place + 1]) {
                return place
            }
            place += 1
        }
        return picture.count
    }
}

/// The secrets that one run has met, so that they are replaced wherever else they turn up. Short ones and numbers are
/// not among them: these occur in counts and times, and replacing them there would tell them.
///
/// A class, because the encoder that meets them hands them over from within.
final class KnownSecrets {
    /// Longest first, so that one that contains another is replaced as a whole.
    private(set) var all: [[UInt8]] = []
    private var first = [Bool](repeating: false, count: 256)

    private static let shortest = 6
    /// More are not looked for: a peer must not be able to fill the memory with what it calls secret.
    private static let most = 256

    var longest: Int { all.first?.count ?? 0 }

    /// - Parameter isNumber: a telephone number's beginning, which may be of digits alone
    func learn(_ text: String, isNumber: Bool = false) {
        let bytes = Array(text.utf8)
        guard bytes.count >= Self.shortest, all.count < Self.most, !all.contains(bytes) else { return }
        guard isNumber || bytes.contains(where: { !(48...57).contains($0) }) else { return }
        all.insert(bytes, at: all.firstIndex { $0.count < bytes.count } ?? all.count)
        first[Int(bytes[0])] = true
    }

    /// Where secrets lie, in ascending order and not one over another.
    func places(in bytes: [UInt8]) -> [Range<Int>] {
        guard !all.isEmpty else { return [] }
        var places: [Range<Int>] = []
        var index = 0
        while index < bytes.count {
            if first[Int(bytes[index])], let secret = all.first(where: { bytes[index...].starts(with: $0) }) {
                places.append(index..<index + secret.count)
                index += secret.count
            } else {
                index += 1
            }
        }
        return places
    }

    /// Where the end of `bytes` may be the beginning of a secret, of `shortest` characters at least.
    func beginning(atEndOf bytes: [UInt8]) -> Int? {
        guard longest > Self.shortest else { return nil }
        let start = max(0, bytes.count - longest + 1)
        return (start..<max(start, bytes.count - Self.shortest + 1)).first { index in
            first[Int(bytes[index])] && all.contains { $0.starts(with: bytes[index...]) }
        }
    }

    func replaced(in text: String, by placeholders: SecretPlaceholders) -> String {
        var bytes = Array(text.utf8)
        let places = places(in: bytes)
        guard !places.isEmpty else { return text }
        for place in places { bytes.replaceSubrange(place, with: placeholders.characters(bytes[place])) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

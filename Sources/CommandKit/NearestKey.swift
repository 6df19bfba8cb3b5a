/// Finds the known key that somebody probably meant.
package enum NearestKey {
    /// The known key with the fewest edits (insert, delete, replace, swap of neighbours), at most 2, or 3 for a key of
    /// eight letters and more; the first of several. nil if none is near.
    package static func of(_ written: String, among known: [String]) -> String? {
        let letters = Array(written.lowercased().unicodeScalars)
        guard !letters.isEmpty, letters.count <= 64 else { return nil }
        var best: (key: String, edits: Int)?
        for key in known {
            let limit = key.unicodeScalars.count >= 8 ? 3 : 2
            // Each letter more is an edit.
            guard abs(key.unicodeScalars.count - letters.count) <= limit else { continue }
            let edits = distance(letters, Array(key.unicodeScalars))
            // As many edits as letters would make anything similar.
            guard edits <= limit, edits < min(letters.count, key.unicodeScalars.count) else { continue }
            if best.map({ edits < $0.edits }) ?? true { best = (key, edits) }
        }
        return best?.key
    }

    /// Damerau–Levenshtein distance in its optimal-string-alignment form.
    static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i]
            for j in 1...b.count {
                var edits = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    edits = min(edits, beforeLast[j - 2] + 1)
                }
                row.append(edits)
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}

import CommandKit

/// HTML that is put together from our own tags and anybody's words. What is not a literal of the program is escaped:
/// `tag` takes nothing else.
struct Markup {
    private(set) var text = ""

    /// Our own tags; a number may stand in them.
    struct Tag: ExpressibleByStringInterpolation {
        struct Interpolation: StringInterpolationProtocol {
            fileprivate var text = ""

            init(literalCapacity: Int, interpolationCount: Int) {}
            mutating func appendLiteral(_ literal: String) { text += literal }
            mutating func appendInterpolation(_ number: Int) { text += "\(number)" }
        }

        fileprivate let text: String

        init(stringLiteral value: String) { text = value }
        init(stringInterpolation: Interpolation) { text = stringInterpolation.text }
    }

    mutating func tag(_ tag: Tag) { text += tag.text }

    /// Anybody's words, between tags.
    mutating func say(_ words: String) {
        for scalar in Text.printable(words).unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    mutating func element(_ begin: Tag, _ words: String, _ end: Tag) {
        tag(begin)
        say(words)
        tag(end)
    }

    /// A row of a table. The first cell is its name; the others are figures.
    mutating func row(_ cells: [String], isHead: Bool = false) {
        tag("<tr>")
        for cell in cells {
            if isHead { element("<th>", cell, "</th>") } else { element("<td>", cell, "</td>") }
        }
        tag("</tr>\n")
    }

    /// Rectangles of one colour as one path.
    mutating func path(_ begin: Tag, _ rectangles: [Rectangle]) {
        guard !rectangles.isEmpty else { return }
        tag(begin)
        tag(" d=\"")
        for place in rectangles {
            tag("M\(place.x) \(place.y)h\(place.width)v\(place.height)h-\(place.width)z")
        }
        tag("\"/>\n")
    }

    struct Rectangle: Equatable {
        var x: Int
        var y: Int
        var width: Int
        var height: Int
    }
}

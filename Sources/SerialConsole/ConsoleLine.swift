import CommandKit

/// A line of a console's screen: text in pieces, each with its colours.
struct ConsoleLine: Equatable, Sendable {
    enum Style: Equatable, Sendable {
        case plain, red, yellow, green
        /// A bar: dark on light.
        case bar
        /// Light on red.
        case alarm
        /// Light on dark whatever the terminal's colours are, so that a camera reads it.
        case picture

        var codes: String? {
            switch self {
            case .plain: nil
            case .red: "31"
            case .yellow: "33"
            case .green: "32"
            case .bar: "7"
            case .alarm: "97;41"
            case .picture: "97;40"
            }
        }

        init(_ paint: Paint?) {
            switch paint {
            case .red: self = .red
            case .yellow: self = .yellow
            case .green: self = .green
            case nil: self = .plain
            }
        }
    }

    struct Piece: Equatable, Sendable {
        var text: String
        var style: Style
    }

    private(set) var pieces: [Piece]

    init(_ text: String, _ style: Style = .plain) { pieces = [Piece(text: text, style: style)] }

    init(_ pieces: [Piece]) { self.pieces = pieces }

    /// Without colours.
    var text: String { pieces.map(\.text).joined() }
    var count: Int { pieces.reduce(0) { $0 + $1.text.count } }

    func fitted(to width: Int) -> ConsoleLine {
        guard count > width else { return self }
        var left = width
        var kept: [Piece] = []
        for piece in pieces {
            if piece.text.count <= left {
                kept.append(piece)
                left -= piece.text.count
            } else {
                kept.append(Piece(text: Text.fitted(piece.text, to: left), style: piece.style))
                break
            }
        }
        return ConsoleLine(kept)
    }

    /// For a terminal; without colours only the bar and the picture are marked.
    func encoded(colours: Bool) -> String {
        pieces.map { piece in
            guard let codes = piece.style.codes, colours || piece.style == .bar || piece.style == .picture else {
                return piece.text
            }
            return "\u{1B}[\(codes)m\(piece.text)\u{1B}[0m"
        }.joined()
    }

    /// A text in lines of this width, in one style. In the place of a command that it names stands the key or the screen.
    static func wrapped(_ text: String, width: Int, label: String = "", _ style: Style = .plain) -> [ConsoleLine] {
        Text.wrapped(ConsoleHint.translated(text), width: width, label: label)
            .map { ConsoleLine($0, style).fitted(to: width) }
    }
}

import PanelLink

/// Everything a fresh reader makes of the bytes, given to it in these pieces.
func items(_ pieces: some Sequence<ArraySlice<UInt8>>) -> [LineReader.Item] {
    var reader = LineReader()
    var items: [LineReader.Item] = []
    for piece in pieces {
        reader.append(piece)
        while let item = reader.next() { items.append(item) }
    }
    return items
}

func items(_ bytes: [UInt8]) -> [LineReader.Item] { items([bytes[...]]) }

func items(_ text: String) -> [LineReader.Item] { items(Array(text.utf8)) }

/// Well-formed lines of these payloads.
func items(lines: [String]) -> [LineReader.Item] { items(lines.flatMap { wire($0) }) }

/// The bytes of a line with right checksum and line end.
func wire(_ payload: String) -> [UInt8] {
    Frame.bytes(code: String(payload.prefix(3)), data: String(payload.dropFirst(3)))
}

extension LineReader.Item {
    var line: DSCLine? {
        switch self {
        case .line(let line): line
        case .rejected: nil
        }
    }

    var rejection: Rejection? {
        switch self {
        case .line: nil
        case .rejected(let rejection): rejection
        }
    }
}

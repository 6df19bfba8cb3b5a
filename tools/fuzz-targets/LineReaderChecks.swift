import PanelLink

/// The first byte says where the rest is cut; a stream means the same however it is cut.
func checkLineReader(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let stream = bytes.dropFirst()
    let whole = items(of: [stream])
    for item in whole { checkItem(item) }
    checkWithRightChecksums(stream)

    let step = Int(first) % 61 + 1
    let pieces = stride(from: stream.startIndex, to: stream.endIndex, by: step).map { start in
        stream[start..<min(start + step, stream.endIndex)]
    }
    require(items(of: pieces) == whole, "a stream in pieces of \(step) bytes reads like the whole")
}

/// A mutated line nearly always has a wrong checksum; with a right one its data are read too.
private func checkWithRightChecksums(_ stream: ArraySlice<UInt8>) {
    for line in stream.split(separator: 0x0A) {
        let text = String(decoding: line.filter { (0x20...0x7E).contains($0) }.dropLast(2), as: UTF8.self)
        let bytes = Frame.bytes(code: String(text.prefix(3)), data: String(text.dropFirst(3)))
        for item in items(of: [bytes[...]]) { checkItem(item) }
    }
}

private func items(of pieces: [ArraySlice<UInt8>]) -> [LineReader.Item] {
    var reader = LineReader()
    var items: [LineReader.Item] = []
    for piece in pieces {
        reader.append(piece)
        while let item = reader.next() { items.append(item) }
    }
    return items
}

private func checkItem(_ item: LineReader.Item) {
    switch item {
    case .line(let line):
        require(line.code.utf8.count == 3, "a code has three digits")
        var again = LineReader()
        again.append(Frame.bytes(code: line.code, data: line.data))
        guard case .line(let second) = again.next() else {
            return require(false, "what was read as a line can be written and read again")
        }
        require(second.message == line.message, "a line means the same when it is written and read again")
        checkPrintable(line.raw)
        checkPrintable(line.redacted)
    case .rejected(let rejection):
        checkPrintable(rejection.text)
    }
}

private func checkPrintable(_ text: String) {
    require(text.unicodeScalars.allSatisfy { (" "..."~").contains($0) || $0 == "…" }, "a printed line is printable")
}

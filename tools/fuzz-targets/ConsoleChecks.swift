import SerialConsole

/// Keys mean the same however their bytes are cut, and after any noise a key is read again.
func checkConsole(_ bytes: [UInt8]) {
    let whole = keys(of: bytes[...])
    let cut = bytes.count / 2
    var reader = KeyReader()
    var found: [ConsoleKey] = []
    for byte in bytes[..<cut] { reader.take(byte, into: &found) }
    var copy = reader
    for byte in bytes[cut...] { reader.take(byte, into: &found) }
    require(found == whole, "keys mean the same wherever their bytes are cut")
    for key in whole {
        switch key {
        case .character(let character):
            let isPlain = character.unicodeScalars.allSatisfy { $0.value >= 32 && !(0x7F...0x9F).contains($0.value) }
            require(isPlain, "what is typed can be shown")
        case .cursor(let row, let column): require(row > 0 && column > 0, "a cursor is somewhere")
        case .enter, .escape, .backspace, .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .interrupt,
            .redraw:
            break
        }
    }
    var late: [ConsoleKey] = []
    copy.nothingFollowed(into: &late)
    require(late.isEmpty || late == [.escape], "a beginning without an end is an Esc or nothing")
    require(!copy.isWaiting, "nothing is waited for after nothing followed")
    late = []
    for byte in [0x1B, 0x5B, 0x41, 0x35] as [UInt8] { copy.take(byte, into: &late) }
    require(late == [.up, .character("5")], "after any noise keys are read again")
}

private func keys(of bytes: ArraySlice<UInt8>) -> [ConsoleKey] {
    var reader = KeyReader()
    var keys: [ConsoleKey] = []
    for byte in bytes { reader.take(byte, into: &keys) }
    return keys
}

import PhoneLink

/// The first byte says where the rest is cut; a stream means the same however it is cut, what is read can be written
/// and read again, and no stanza is too odd to mean something to the push channel.
func checkStanza(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let stream = bytes.dropFirst()
    let whole = events(of: [stream])
    let step = Int(first) % 61 + 1
    let pieces = stride(from: stream.startIndex, to: stream.endIndex, by: step).map { start in
        stream[start..<min(start + step, stream.endIndex)]
    }
    require(events(of: pieces) == whole, "a stream in pieces of \(step) bytes reads like the whole")
    for event in whole {
        switch event {
        case .element(let element): checkElement(element)
        case .failed(let error):
            require((0...stream.count).contains(error.offset), "an error is at a place of the stream")
            require(event == whole.last, "nothing follows an error")
        case .opened, .closed: break
        }
    }
}

private func checkElement(_ element: XMLElement) {
    // Prefixes are written anew, which takes more bytes and attributes than were read.
    var limits = XMLReader.Limits()
    limits.stanzaBytes *= 64
    limits.attributes *= 2
    let header = Array("<s:s xmlns:s='urn:s' xmlns='jabber:client'>".utf8)
    let text = Array(element.text(inside: XMPPNamespace.client).utf8)
    let again = events(of: [header[...], text[...]], limits: limits)
    require(again.last == .element(element), "an element is the same when it is written and read again")

    switch CCSIncoming(element) {
    case .nack(_, let error, _), .errorStanza(_, let error, _):
        require(error.description.allSatisfy { $0.isASCII || $0 == "…" }, "a refusal is printable")
    case .inbound(let from, let messageID, _, _):
        require(!from.isEmpty && !messageID.isEmpty, "a phone's message can be acknowledged")
        require(from.utf8.count <= 4096 && messageID.utf8.count <= 512, "what is kept is bounded")
    case .receipt(let receipt): require(!receipt.messageID.isEmpty, "a receipt can be acknowledged")
    case .ack, .draining, .rejected: break
    }
}

private func events(of pieces: [ArraySlice<UInt8>], limits: XMLReader.Limits = .init()) -> [XMLReader.Event] {
    var reader = XMLReader(limits: limits)
    var events: [XMLReader.Event] = []
    for piece in pieces {
        reader.append(piece)
        while let event = reader.next() { events.append(event) }
    }
    return events
}

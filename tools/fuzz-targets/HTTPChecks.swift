import AlarmModel
import PhoneLink

/// What a reader made of an answer; neighbouring pieces of the body are one.
private struct Answer: Equatable {
    var head: HTTPResponseHead?
    var body: [UInt8] = []
    var isComplete = false
    var error: HTTPError?
}

/// The first byte says where the rest is cut; an answer means the same however it is cut, what is kept is bounded, and
/// nothing follows an end.
func checkHTTP(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let stream = bytes.dropFirst()
    let isHead = first & 0x80 != 0
    let step = Int(first & 0x3F) + 1
    var limits = HTTPResponseReader.Limits()
    limits.headBytes = 512
    limits.fields = 10
    limits.bodyBytes = 100
    for limits in [HTTPResponseReader.Limits(), limits, .stream] {
        let whole = answer([stream], limits, isHead)
        require(answer(pieces(of: stream, step), limits, isHead) == whole, "an answer in pieces reads like the whole")
        require(!(whole.isComplete && whole.error != nil), "an answer is complete or failed")
        require(whole.isComplete || whole.error != nil, "at the connection's end it is one of both")
        require(!whole.isComplete || whole.head != nil, "a complete answer has a head")
        if let bound = limits.bodyBytes { require(whole.body.count <= bound, "a body is bounded") }
        guard let head = whole.head else { continue }
        require((200...599).contains(head.status), "an interim answer is not shown")
        require(head.fields.count <= limits.fields, "fields are bounded")
        for field in head.fields {
            require(!field.name.isEmpty && field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a name is a token")
            require(!field.value.utf8.contains { [0, 0x0A, 0x0D].contains($0) }, "a value is on one line")
        }
        require(head.date.map { $0.milliseconds >= 0 } ?? true, "a date is after 1970")
        if let text = head.value("Location"), let url = try? HTTPURL(text) {
            require((try? HTTPURL(url.description)) == url, "a URL is the same when it is written and read again")
        }
    }
}

private func answer(_ pieces: [ArraySlice<UInt8>], _ limits: HTTPResponseReader.Limits, _ isHead: Bool) -> Answer {
    var reader = HTTPResponseReader(limits: limits, isHead: isHead)
    var answer = Answer()
    func take(_ event: HTTPResponseReader.Event) {
        require(!answer.isComplete && answer.error == nil, "nothing follows the end of an answer")
        switch event {
        case .head(let head): answer.head = head
        case .body(let piece):
            require(!piece.isEmpty && answer.head != nil, "a piece of a body is one, and comes behind a head")
            answer.body += piece
        case .end: answer.isComplete = true
        case .failed(let error): answer.error = error
        }
    }
    for piece in pieces {
        reader.append(piece)
        while let event = reader.next() { take(event) }
    }
    if let event = reader.finish() { take(event) }
    require(reader.next() == nil && reader.finish() == nil, "an end is told once")
    return answer
}

func checkServerSentEvents(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let stream = bytes.dropFirst()
    var limits = ServerSentEventReader.Limits()
    limits.lineBytes = 40
    limits.eventBytes = 60
    limits.nameBytes = 10
    for limits in [ServerSentEventReader.Limits(), limits] {
        let whole = events([stream], limits)
        require(
            events(pieces(of: stream, Int(first & 0x3F) + 1), limits) == whole, "events in pieces read like the whole")
        for item in whole {
            switch item {
            case .event(let event):
                require(!event.type.isEmpty, "an event has a type")
                // A byte that is no UTF-8 becomes three.
                require(event.data.utf8.count <= limits.eventBytes * 3, "an event is bounded")
                require(event.id.utf8.count <= limits.nameBytes * 3 && !event.id.utf8.contains(0), "an id is bounded")
            case .retry(let span): require((.zero ... .seconds(3600)).contains(span), "a wait is bounded")
            case .skipped: break
            }
        }
    }
}

private func events(
    _ pieces: [ArraySlice<UInt8>], _ limits: ServerSentEventReader.Limits
) -> [ServerSentEventReader.Item] {
    var reader = ServerSentEventReader(limits: limits)
    var items: [ServerSentEventReader.Item] = []
    for piece in pieces {
        reader.append(piece)
        while let item = reader.next() { items.append(item) }
    }
    return items
}

func checkJSONLines(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let stream = bytes.dropFirst()
    for limit in [65_536, 20] {
        let whole = items([stream], limit)
        require(items(pieces(of: stream, Int(first & 0x3F) + 1), limit) == whole, "lines in pieces read like the whole")
        require(whole.count <= stream.count { $0 == 0x0A } + 1, "a line is at most one item")
    }
}

private func items(_ pieces: [ArraySlice<UInt8>], _ limit: Int) -> [JSONLineReader.Item] {
    var reader = JSONLineReader(lineLimit: limit)
    var items: [JSONLineReader.Item] = []
    for piece in pieces {
        reader.append(piece)
        while let item = reader.next() { items.append(item) }
    }
    return items
}

private func pieces(of stream: ArraySlice<UInt8>, _ step: Int) -> [ArraySlice<UInt8>] {
    stride(from: stream.startIndex, to: stream.endIndex, by: step).map { start in
        stream[start..<min(start + step, stream.endIndex)]
    }
}

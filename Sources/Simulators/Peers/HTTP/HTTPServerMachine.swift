package import AlarmModel

/// The connections of a simulated web server: reads requests in their order and frames answers, whole or as chunks
/// without an end. What is answered is its owner's business.
///
/// One request of a connection is given at a time; the next one comes after its answer.
package struct HTTPServerMachine: Sendable {
    private struct Connection: Sendable {
        let id: ConnectionID
        var reader: HTTPRequestReader
        /// A request was given and not answered.
        var isAnswering = false
        var keepsAlive = true
        var isHead = false
        /// A web page asks: its browser gives it the answer only where the answer says that any page may read it.
        var isOfPage = false
        var isStreaming = false
        /// Nothing is read and nothing sent: the connection is dead without an end.
        var isSilent = false
    }

    private var connections: [Connection] = []
    /// What comes is not read, newcomers' included; nothing is sent.
    package var isBlackHole = false

    package init() {}

    package var open: [ConnectionID] { connections.map(\.id) }
    package func isStreaming(_ id: ConnectionID) -> Bool {
        connections.first { $0.id == id }?.isStreaming ?? false
    }

    package mutating func accepted(_ id: ConnectionID) {
        connections.append(Connection(id: id, reader: HTTPRequestReader(id), isSilent: isBlackHole))
    }

    package mutating func received(_ id: ConnectionID, _ bytes: [UInt8]) {
        guard let index = index(of: id), !isBlackHole, !connections[index].isSilent else { return }
        connections[index].reader.append(bytes)
    }

    /// The next request that waits for an answer. What is no request is answered with 400, and the connection ends.
    package mutating func next(_ id: ConnectionID, into actions: inout [HTTPServiceAction])
        -> HTTPServerRequest?
    {
        guard let index = index(of: id), !connections[index].isAnswering,
            !connections[index].isStreaming
        else {
            return nil
        }
        do throws(HTTPRequestReader.Problem) {
            guard let request = try connections[index].reader.next() else { return nil }
            connections[index].isAnswering = true
            connections[index].keepsAlive = request.keepsAlive
            connections[index].isHead = request.method == "HEAD"
            connections[index].isOfPage = request.field("Origin") != nil
            return request
        } catch {
            connections[index].isAnswering = true
            var bad = HTTPServerAnswer(400, body: Array("bad request\n".utf8))
            bad.closes = true
            answer(id, bad, into: &actions)
            return nil
        }
    }

    /// The whole answer to the request that `next` gave.
    package mutating func answer(
        _ id: ConnectionID, _ answer: HTTPServerAnswer, into actions: inout [HTTPServiceAction]
    ) {
        guard let index = index(of: id), connections[index].isAnswering else { return }
        connections[index].isAnswering = false
        let ends = answer.closes || !connections[index].keepsAlive
        var answer = answer
        if connections[index].isOfPage { answer.fields.append(Self.anyPage) }
        send(
            id, Self.bytes(of: answer, closes: ends, isHead: connections[index].isHead), into: &actions)
        if ends { close(id, into: &actions) }
    }

    /// Status line, fields and body as they are on the wire.
    package static func bytes(of answer: HTTPServerAnswer, closes: Bool = false, isHead: Bool = false)
        -> [UInt8]
    {
        var text = head(answer.status, answer.fields)
        text += "Content-Length: \(answer.body.count)\r\n"
        if closes { text += "Connection: close\r\n" }
        return Array((text + "\r\n").utf8) + (isHead ? [] : answer.body)
    }

    /// Begins an answer in chunks; nothing else is read from the connection until it ends.
    package mutating func beginStream(
        _ id: ConnectionID, _ status: Int = 200, fields: [HTTPServerRequest.Field],
        into actions: inout [HTTPServiceAction]
    ) {
        guard let index = index(of: id), connections[index].isAnswering else { return }
        connections[index].isStreaming = true
        let fields = connections[index].isOfPage ? fields + [Self.anyPage] : fields
        let text = Self.head(status, fields) + "Transfer-Encoding: chunked\r\n\r\n"
        send(id, Array(text.utf8), into: &actions)
    }

    package mutating func chunk(
        _ id: ConnectionID, _ bytes: [UInt8], into actions: inout [HTTPServiceAction]
    ) {
        guard isStreaming(id), !bytes.isEmpty else { return }
        let size = String(bytes.count, radix: 16)
        send(id, Array("\(size)\r\n".utf8) + bytes + [13, 10], into: &actions)
    }

    package mutating func endStream(_ id: ConnectionID, into actions: inout [HTTPServiceAction]) {
        guard let index = index(of: id), connections[index].isStreaming else { return }
        connections[index].isStreaming = false
        connections[index].isAnswering = false
        send(id, Array("0\r\n\r\n".utf8), into: &actions)
        if !connections[index].keepsAlive { close(id, into: &actions) }
    }

    /// The answer to the request that `next` gave: what comes from here on is of another protocol, and `takePending` has it.
    package mutating func switchProtocol(
        _ id: ConnectionID, fields: [HTTPServerRequest.Field], into actions: inout [HTTPServiceAction]
    ) {
        guard let index = index(of: id), connections[index].isAnswering else { return }
        connections[index].isStreaming = true
        send(id, Array((Self.head(101, fields) + "\r\n").utf8), into: &actions)
    }

    package mutating func takePending(_ id: ConnectionID) -> [UInt8] {
        guard let index = index(of: id) else { return [] }
        return connections[index].reader.takePending()
    }

    /// Bytes that need not be HTTP.
    package mutating func send(
        _ id: ConnectionID, _ bytes: [UInt8], into actions: inout [HTTPServiceAction]
    ) {
        guard let index = index(of: id), !isBlackHole, !connections[index].isSilent else { return }
        actions.append(.send(id, bytes))
    }

    /// From here on the connection is dead without an end.
    package mutating func silence(_ id: ConnectionID) {
        guard let index = index(of: id) else { return }
        connections[index].isSilent = true
    }

    package mutating func close(_ id: ConnectionID, into actions: inout [HTTPServiceAction]) {
        guard forget(id) else { return }
        actions.append(.close(id))
    }

    package mutating func reset(_ id: ConnectionID, into actions: inout [HTTPServiceAction]) {
        guard forget(id) else { return }
        actions.append(.reset(id))
    }

    /// The client is gone.
    package mutating func closed(_ id: ConnectionID) { _ = forget(id) }

    private mutating func forget(_ id: ConnectionID) -> Bool {
        guard let index = index(of: id) else { return false }
        connections.remove(at: index)
        return true
    }

    /// Of the Fetch standard, "CORS protocol".
    private static let anyPage = HTTPServerRequest.Field("Access-Control-Allow-Origin", "*")

    private func index(of id: ConnectionID) -> Int? { connections.firstIndex { $0.id == id } }

    private static func head(_ status: Int, _ fields: [HTTPServerRequest.Field]) -> String {
        fields.reduce("HTTP/1.1 \(status) \(HTTPServerAnswer.reason(status))\r\n") {
            $0 + "\($1.name): \($1.value)\r\n"
        }
    }
}

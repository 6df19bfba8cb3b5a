import PhoneProtocol

/// A client's wish to speak WebSocket on the connection of its request (RFC 6455 4).
package struct WebSocketOffer: Equatable, Sendable {
    /// What the server proves by that it has understood.
    package var key: String
    /// The protocols that the client speaks over it.
    package var protocols: [String]

    /// nil: the request is not of that kind, or wants another version.
    package init?(_ request: HTTPServerRequest) {
        func words(_ name: String) -> [String] {
            request.fields.filter { $0.name.lowercased() == name }.flatMap { $0.value.split(separator: ",") }
                .map { String($0.filter { $0 != " " }) }
        }
        guard request.method == "GET", words("upgrade").contains(where: { $0.lowercased() == "websocket" }),
            words("connection").contains(where: { $0.lowercased() == "upgrade" }),
            words("sec-websocket-version") == ["13"], let key = words("sec-websocket-key").first,
            Base64.decode(key)?.count == 16
        else { return nil }
        self.key = key
        protocols = words("sec-websocket-protocol")
    }

    /// The answer's fields.
    /// - Parameter hash: SHA-1
    package func acceptance(_ chosen: String, hash: ([UInt8]) -> [UInt8]) -> [HTTPServerRequest.Field] {
        let proof = hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        let fields = [
            HTTPServerRequest.Field("Upgrade", "websocket"), .init("Connection", "Upgrade"),
            .init("Sec-WebSocket-Accept", Base64.encode(proof)),
        ]
        return protocols.contains(chosen) ? fields + [.init("Sec-WebSocket-Protocol", chosen)] : fields
    }
}

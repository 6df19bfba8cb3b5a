import AlarmModel
import PhoneLink

/// The first byte says the version and where the rest is cut; a stream means the same however it is cut, what is read
/// can be written and read again, and a transport in the midst of a login or of its work takes it without a trap.
func checkMQTT(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let version: MQTTVersion = first & 1 == 0 ? .v5 : .v311
    let stream = bytes.dropFirst()
    let limit = first & 2 == 0 ? 65536 : 64
    let whole = mqttEvents(of: [stream], version, limit: limit)
    let step = Int(first) % 61 + 1
    let pieces = stride(from: stream.startIndex, to: stream.endIndex, by: step).map { start in
        stream[start..<min(start + step, stream.endIndex)]
    }
    require(mqttEvents(of: pieces, version, limit: limit) == whole, "a stream in pieces reads like the whole")
    for event in whole {
        switch event {
        case .packet(let packet):
            // A CONNECT says its version itself.
            var spoken = version
            if case .connect(let connect) = packet { spoken = connect.version }
            let again = mqttEvents(of: [packet.bytes(spoken)[...]], spoken, limit: .max)
            require(again == [.packet(packet)], "a packet is the same when it is written and read again")
        case .passedOver(let size, let id):
            require(size > limit, "only what is too long is passed over")
            require(id != 0, "no packet has the number 0")
        case .failed(let error):
            require(event == whole.last, "nothing follows an error")
            require(!error.description.isEmpty, "an error has words")
        }
    }
    drive(stream, version, isIn: false, step: step)
    drive(stream, version, isIn: true, step: step)
}

private func drive(_ stream: ArraySlice<UInt8>, _ version: MQTTVersion, isIn: Bool, step: Int) {
    var settings = MQTTSettings(host: "h", password: Secret("secret"), site: "s")
    settings.protocolVersion = version == .v5 ? .v5 : .v311
    var transport = MQTTTransport(settings: settings, seed: 1)
    let now = Moment(boot: .zero, wall: WallTime(milliseconds: 0), isWallTrusted: true)
    let connection = ConnectionID(1)
    var actions: [TransportAction] = []
    transport.houseChanged(
        HousePicture(state: PanelState(), names: SiteNames(), partitions: [1]), at: now, into: &actions)
    transport.start(at: now, into: &actions)
    transport.connected(connection, slot: DialSlot(0), at: now, into: &actions)
    if isIn {
        let welcome = MQTTPacket.connack(MQTTConnack(reason: 0)).bytes(version)
        transport.received(connection, welcome, at: now, into: &actions)
    }
    for start in stride(from: stream.startIndex, to: stream.endIndex, by: step) {
        let piece = Array(stream[start..<min(start + step, stream.endIndex)])
        transport.received(connection, piece, at: now, into: &actions)
    }
    transport.stop(at: now, into: &actions)
    let readies = actions.filter { $0 == .ready }.count
    require(readies == actions.filter { $0 == .notReady }.count, "whoever is ready ends it")
    for case .problem(let problem?) in actions {
        require(problem.description.utf8.count < 1000, "a problem's words are bounded")
    }
}

private func mqttEvents(
    of pieces: [ArraySlice<UInt8>], _ version: MQTTVersion, limit: Int
) -> [MQTTReader.Event] {
    var reader = MQTTReader(version: version, limit: limit)
    var events: [MQTTReader.Event] = []
    for piece in pieces {
        reader.append(piece)
        while let event = reader.next() { events.append(event) }
    }
    return events
}

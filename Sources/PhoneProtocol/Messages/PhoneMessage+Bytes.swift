package import AlarmModel

extension PhoneRequest {
    /// 02 ‖ rid ‖ lp8(verb) ‖ lp16(args)
    package func bytes() throws(FormatError) -> [UInt8] {
        guard rid.count == 8 else { throw .value("the request's id") }
        var writer = ByteWriter([PhoneBody.request])
        writer.raw(rid)
        try writer.lp8(try PhoneBody.check(verb: Array(verb.utf8)), "the verb")
        try writer.lp16(try PhoneBody.text(of: arguments, "the arguments"), "the arguments")
        return writer.bytes
    }
}

extension PhoneCommand {
    /// The command without its signature: 01 ‖ keyno ‖ ctr ‖ fresh ‖ lp8(verb) ‖ lp16(args) ‖ lp8(cond).
    package func unsignedBytes() throws(FormatError) -> [UInt8] {
        guard key == 1 || key == 2 else { throw .value("the number of the key") }
        var writer = ByteWriter([PhoneBody.command, key])
        writer.uint64(counter)
        switch freshness {
        case .challenge(let challenge):
            guard challenge.count == Challenge.count else { throw .value("the challenge") }
            writer.byte(PhoneBody.challenge)
            try writer.lp8(challenge, "the challenge")
        case .time(let issued, let ttl):
            guard let issued = UInt64(exactly: issued) else { throw .value("the time of issue") }
            guard ttl <= PhoneBody.ttlLimit else { throw .value("the time to live") }
            writer.byte(PhoneBody.time)
            writer.uint64(issued)
            writer.uint16(ttl)
        }
        try writer.lp8(try PhoneBody.check(verb: Array(verb.utf8)), "the verb")
        try writer.lp16(try PhoneBody.text(of: arguments, "the arguments"), "the arguments")
        try writer.lp8(try PhoneBody.text(of: condition, "the condition"), "the condition")
        return writer.bytes
    }

    /// What is signed: "HA2 cmd 1\0" ‖ bind ‖ id ‖ the command without its signature.
    package static func signedBytes(_ unsigned: [UInt8], bind: [UInt8], phone: PhoneID) -> [UInt8] {
        Array("HA2 cmd 1\0".utf8) + bind + phone.bytes + unsigned
    }
}

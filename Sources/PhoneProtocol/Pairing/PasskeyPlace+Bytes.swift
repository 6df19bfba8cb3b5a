import AlarmModel

/// What stands behind key 2 in a pairing and in the key file: lp8(RP ID) ‖ lp8(origin) of a passkey, else nothing.
extension PasskeyPlace {
    static func read(
        behind algorithm: SignatureAlgorithm, _ reader: inout ByteReader
    ) throws(FormatError) -> PasskeyPlace? {
        guard algorithm == .webAuthn else { return nil }
        let party = try reader.lp8()
        let origin = try reader.lp8()
        guard let party = String(validating: party, as: UTF8.self),
            let origin = String(validating: origin, as: UTF8.self),
            let place = PasskeyPlace(relyingParty: party, origin: origin)
        else { throw .value("the page of the passkey") }
        return place
    }

    /// A passkey has a page, and no other key has one.
    static func write(
        _ place: PasskeyPlace?, behind algorithm: SignatureAlgorithm, _ writer: inout ByteWriter
    ) throws(FormatError) {
        guard (algorithm == .webAuthn) == (place != nil) else { throw .value("the page of the passkey") }
        guard let place else { return }
        try writer.lp8(Array(place.relyingParty.utf8), "the RP ID")
        try writer.lp8(Array(place.origin.utf8), "the origin")
    }
}

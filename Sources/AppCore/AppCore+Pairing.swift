import Companion
import PhoneProtocol

extension AppCore {
    /// It takes 250 messages a day from one address, so that a house's box answers there sparingly (MANUAL, "The web app").
    private static var publicServer: String { "ntfy.sh/" }
    private static var publicLogDepth: Int64 { 100 }

    mutating func pair(_ call: JSON, at time: PhoneTime) throws(AppProblem) -> JSON {
        let key1 = PhoneKey(elsewhere: .p256, publicKey: try call.bytes("key1"))
        var key2: PhoneKey?
        let number = call["algorithm2"]?.integerValue ?? 0
        guard let algorithm = UInt8(exactly: number).flatMap({ SignatureAlgorithm(rawValue: $0) }) else {
            throw .call("algorithm \(number) is none")
        }
        if algorithm != .none { key2 = PhoneKey(elsewhere: algorithm, publicKey: try call.bytes("key2")) }
        let signers = PhoneSigners(key1: key1, key2: key2)
        var passkey: (relyingParty: String, origin: String)?
        switch algorithm {
        case .webAuthn: passkey = (try call.text("rp"), try call.text("origin"))
        case .none, .ed25519, .p256: break
        }
        let topic = ContactAddress(kind: .topic, value: try call.text("topic"))
        let code = try call.text("code")
        let name = try call.text("name")
        var begun: PhonePairing<C>
        do throws(PairingProblem) {
            begun = try PhonePairing(
                code: code, name: name, addresses: [topic], signers: signers, passkey: passkey, crypto: crypto, at: time
            )
        } catch {
            throw .pairing(error)
        }
        if topic.value.hasPrefix(Self.publicServer) { begun.logDepth = Self.publicLogDepth }
        pairing = begun
        self.signers = signers
        phone = nil
        let servers = begun.servers.map { server in
            JSON.object(["kind": .integer(Int64(server.kind)), "place": .string(server.place)])
        }
        return .object([
            "frame": .base64(begun.frame), "servers": .array(servers), "topicUp": .string(begun.topicUp),
            "topicDown": .string(begun.topicDown), "next": begun.nextDeadline.map { .integer($0) },
        ])
    }

    mutating func pairFrame(_ call: JSON) throws(AppProblem) -> JSON {
        let frame = try call.bytes("e")
        pairing?.received(frame)
        return try paired(frame: nil)
    }

    mutating func pairTimer(at time: PhoneTime) throws(AppProblem) -> JSON {
        let isDue = pairing?.timerFired(at: time) ?? false
        return try paired(frame: isDue ? pairing?.frame : nil)
    }

    private func paired(frame: [UInt8]?) throws(AppProblem) -> JSON {
        guard let pairing else { throw .noDigits }
        var answer: [JSON.Member] = []
        switch pairing.phase {
        case .waiting: break
        case .digits(let digits, let siteName):
            answer = [.init(key: "digits", value: .string(digits)), .init(key: "site", value: .string(siteName))]
        case .failed(let why): answer = [.init(key: "failed", value: .string(why))]
        }
        if let frame { answer.append(.init(key: "frame", value: .base64(frame))) }
        if let next = pairing.nextDeadline { answer.append(.init(key: "next", value: .integer(next))) }
        return .object(answer)
    }

    mutating func keep() throws(AppProblem) -> JSON {
        guard let paired = pairing?.paired, let signers else { throw .noDigits }
        pairing = nil
        phone = PairedPhone(secrets: paired.secrets, memory: paired.memory, crypto: crypto, signers: signers)
        let secrets = JSON.object([
            "algorithm1": .integer(Int64(signers.key1.algorithm.rawValue)),
            "algorithm2": .integer(Int64(signers.key2?.algorithm.rawValue ?? 0)),
            "channel": .base64(paired.secrets.storage),
        ])
        return .object(["secrets": .string(secrets.text), "memory": .string(paired.memory.form.text)])
    }

    mutating func open(_ call: JSON, at time: PhoneTime) throws(AppProblem) -> JSON {
        let stored = try secrets(try call.text("secrets"))
        let rows = (call["rows"]?.arrayValue ?? []).compactMap { HouseEvent(form: $0) }
        let text = try call.text("memory")
        guard let form = try? JSON(parsing: text), let memory = PhoneMemory(form: form, rows: rows)
        else { throw .notStored }
        let house = PairedPhone(secrets: stored.secrets, memory: memory, crypto: crypto, signers: stored.signers)
        pairing = nil
        signers = stored.signers
        phone = house
        return .object(["actions": .array([]), "next": house.nextDeadline.map { .integer($0) }])
    }

    /// Public halves are needed for the pairing only: the box knows them from then on.
    private func secrets(_ text: String) throws(AppProblem) -> (secrets: PhoneSecrets, signers: PhoneSigners) {
        guard let form = try? JSON(parsing: text), let key1 = Self.key(form["algorithm1"]),
            let channel = try? form.bytes("channel"), let secrets = PhoneSecrets(storage: channel)
        else { throw .notStored }
        return (secrets, PhoneSigners(key1: key1, key2: Self.key(form["algorithm2"])))
    }

    private static func key(_ algorithm: JSON?) -> PhoneKey? {
        guard let number = algorithm?.integerValue.flatMap({ UInt8(exactly: $0) }),
            let algorithm = SignatureAlgorithm(rawValue: number), algorithm != .none
        else { return nil }
        return PhoneKey(elsewhere: algorithm, publicKey: [])
    }
}

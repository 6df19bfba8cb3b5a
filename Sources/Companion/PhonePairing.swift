import AlarmModel
public import PhoneProtocol

/// One pairing, from the code on the box's screen to the six digits on the phone's (docs/pairing.md 3 and 4).
///
/// Frames go to `topicUp` of a server of the code and come from `topicDown`; with an XMPP address or a CCS sender they
/// go to the account itself.
public struct PhonePairing<C: Crypto>: Sendable {
    public enum Phase: Equatable, Sendable {
        /// Frame 1 is under way.
        case waiting
        /// Show the digits: the owner types them at the box, which then sends `welcome` to the paired phone.
        case digits(String, siteName: String)
        /// Over; the sentence is for the screen.
        case failed(String)
    }

    public private(set) var phase = Phase.waiting
    /// How many of the newest rows of the journal the phone fetches that it has missed; 5000 if nothing else is set. Where the
    /// way takes few messages a day, a long log would use them up.
    public var logDepth: Int64 = 5000
    /// Where frames can go: kind as in the code (1 https topics, 2 realtime database, 3 MQTT, 4 XMPP, 5 CCS), place.
    public let servers: [(kind: UInt8, place: String)]
    public let topicUp: String
    public let topicDown: String
    private var handshake: PhoneHandshake<C>
    private var secrets: PhoneSecrets?
    private let crypto: C
    private let name: String
    /// A frame came that only a newer box could have sent, or anybody.
    private var hasHeardNewer = false
    private let started: Int64
    private var nextRepeat: Int64

    /// Milliseconds after which frame 1 goes out again, and after which the attempt is over.
    static var repeatAfter: Int64 { 20_000 }
    static var giveUpAfter: Int64 { 120_000 }
    public static var noAnswerText: String {
        "No answer, or the code was used. Make a new code at the box and try again."
    }
    public static var newerText: String {
        "The box may be newer than this app. Update the app, make a new code at the box and try again."
    }

    /// `code` as scanned or typed; `name` of this phone, 1–32 bytes; one to four addresses; of a key 2 that is a passkey
    /// its RP ID and the origin of the page. Send `frame` at once.
    public init(
        code: String, name: String, addresses: [ContactAddress], signers: PhoneSigners,
        passkey: (relyingParty: String, origin: String)? = nil, crypto: C, at time: PhoneTime
    ) throws(PairingProblem) {
        var crypto = crypto
        let text: PairingText
        do throws(PairingTextError) {
            text = try PairingText(parsing: code, crypto)
        } catch {
            throw .code("\(error)")
        }
        let place = passkey.flatMap { PasskeyPlace(relyingParty: $0.relyingParty, origin: $0.origin) }
        guard (passkey == nil) == (place == nil) else {
            throw .details("a page at \(passkey?.origin ?? "") can have no passkey that a box takes")
        }
        let payload = PairingPayload1(
            name: name, algorithm1: signers.key1.algorithm, key1: signers.key1.publicKey,
            algorithm2: signers.key2?.algorithm ?? .none, key2: signers.key2?.publicKey ?? [], passkey: place,
            addresses: addresses.compactMap { address in
                AddressKind(rawValue: address.kind.rawValue).map { .init(kind: $0, value: address.value) }
            })
        do throws(FormatError) {
            handshake = try PhoneHandshake(text, payload, ephemeral: crypto.random(32), crypto: crypto)
        } catch {
            throw .details("\(error)")
        }
        servers = text.servers.map { ($0.kind.rawValue, $0.place) }
        topicUp = text.topicUp(crypto)
        topicDown = text.topicDown(crypto)
        self.crypto = crypto
        self.name = name
        started = time.uptime
        nextRepeat = time.uptime + Self.repeatAfter
    }

    /// Frame 1, to be sent; the same each time.
    public var frame: [UInt8] { handshake.frame }

    /// Milliseconds of uptime at which `timerFired` wants to be called; nil when nothing more happens by itself.
    public var nextDeadline: Int64? {
        switch phase {
        case .waiting: min(nextRepeat, started + Self.giveUpAfter)
        case .digits, .failed: nil
        }
    }

    /// True when frame 1 is to be sent again.
    public mutating func timerFired(at time: PhoneTime) -> Bool {
        guard phase == .waiting else { return false }
        guard time.uptime < started + Self.giveUpAfter else {
            phase = .failed(hasHeardNewer ? Self.newerText : Self.noAnswerText)
            return false
        }
        guard time.uptime >= nextRepeat else { return false }
        nextRepeat = time.uptime + Self.repeatAfter
        return true
    }

    /// Something came that may be frame 2. What does not open ends nothing: anybody can send it.
    public mutating func received(_ frame: [UInt8]) {
        guard phase == .waiting else { return }
        do throws(UnopenedReason) {
            let (siteName, keys) = try handshake.finish(frame, crypto)
            secrets = PhoneSecrets(PhoneChannel(keys))
            phase = .digits(keys.code, siteName: siteName)
        } catch {
            if error == .newerVersion { hasHeardNewer = true }
        }
    }

    /// What to keep once the digits are shown: the keys, and an empty memory. The box obeys, and speaks, after the
    /// digits were typed there; its first word is `welcome`.
    public var paired: (secrets: PhoneSecrets, memory: PhoneMemory)? {
        guard let secrets, case .digits(_, let siteName) = phase else { return nil }
        return (secrets, PhoneMemory(name: name, siteName: siteName, depth: logDepth))
    }
}

/// Why a pairing cannot begin; the text is for the screen.
public enum PairingProblem: Error, Equatable, Sendable, CustomStringConvertible {
    /// The code cannot be read.
    case code(String)
    /// The name, a key or an address cannot be used.
    case details(String)

    public var description: String {
        switch self {
        case .code(let text): text
        case .details(let text): "this phone cannot be described to the box: \(text)"
        }
    }
}

import AlarmModel
import PhoneProtocol
import Platform

/// A browser with a passkey; a test makes each part of its answer wrong.
struct TestPasskey: Signer {
    private let key: OpenSSLSigner
    var relyingParty = "alarm.example.org"
    var origin = "https://alarm.example.org"
    var type = "webauthn.get"
    var crossOrigin: String? = "false"
    /// UP and UV.
    var flags: UInt8 = 0x05
    var counter: UInt32 = 0
    /// Behind the counter.
    var extensions: [UInt8] = []
    /// More members of the client's data.
    var more = ""
    var alterClient: @Sendable (String) -> String = { $0 }
    var alterSignature: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    /// The challenge is made of other bytes.
    var isOtherChallenge = false

    init?() {
        guard let key = OpenSSLSigner.generateP256() else { return nil }
        self.key = key
    }

    var algorithm: SignatureAlgorithm { .webAuthn }
    var publicKey: [UInt8] { key.publicKey }
    static let place = PasskeyPlace(relyingParty: "alarm.example.org", origin: "https://alarm.example.org")

    func sign(_ message: [UInt8]) -> [UInt8]? { try? assertion(of: message)?.bytes() }

    /// r ‖ s over the message itself, as a phone's own key 2 would sign.
    func plainSignature(of message: [UInt8]) -> [UInt8]? { key.sign(message) }

    func assertion(of message: [UInt8]) -> WebAuthnAssertion? {
        let crypto = OpenSSLCrypto()
        let counter = (0..<4).map { UInt8(truncatingIfNeeded: self.counter >> (24 - 8 * UInt32($0))) }
        let authenticator = crypto.sha256(Array(relyingParty.utf8)) + [flags] + counter + extensions
        let challenge = Base64URL.encode(crypto.sha256(isOtherChallenge ? message + [0] : message))
        let cross = crossOrigin.map { #","crossOrigin":\#($0)"# } ?? ""
        let client = Array(
            alterClient(#"{"type":"\#(type)","challenge":"\#(challenge)","origin":"\#(origin)"\#(cross)\#(more)}"#).utf8
        )
        // Not of the longest ones, so that a test can add a byte and it still is a field of a command.
        var der: [UInt8]?
        for _ in 0..<100 where (der?.count ?? 100) > 71 {
            der = key.sign(authenticator + crypto.sha256(client)).flatMap { ECDSASignature.der(fromRaw: $0) }
        }
        guard let der else { return nil }
        return WebAuthnAssertion(authenticatorData: authenticator, clientData: client, signature: alterSignature(der))
    }
}

import Foundation
import PhoneProtocol
import Platform
import Testing

/// The same answers of passkeys before fido2, a library of others for Python: what it takes is taken here, what it
/// refuses is refused here, and it takes ours.
@Suite("Passkeys before fido2", .enabled(if: Fido2.isThere, "\(Fido2.advice)"))
struct PasskeyIndependentTests {
    private var crypto = OpenSSLCrypto()

    @Test("what Python makes is judged here as fido2 judges it", arguments: Fido2.kinds)
    func whatPythonMakesIsJudgedHereAsFido2JudgesIt(kind: String) throws {
        let place = try #require(TestPasskey.place)
        let messages = (0..<16).map { _ in Random.bytes(90) }
        let lines = try Fido2.answers(messages.map { "\(kind) \(Hex.encode($0))" })
        #expect(lines.count == messages.count)
        for (message, line) in zip(messages, lines) {
            let words = line.split(separator: " ").map(String.init)
            try #require(words.count == 5)
            let assertion = WebAuthnAssertion(
                authenticatorData: try Hex.decode(words[2]), clientData: try Hex.decode(words[3]),
                signature: try Hex.decode(words[4]))
            #expect(try WebAuthnAssertion(bytes: assertion.bytes()) == assertion)
            let isGood = assertion.isGood(for: message, publicKey: try Hex.decode(words[1]), at: place, crypto)
            #expect(isGood == (words[0] == "good"), "\(kind)")
            #expect(isGood == ["plain", "synced", "counter"].contains(kind), "\(kind)")
        }
    }

    @Test("fido2 takes what the tests of this project take for a browser's answer, and refuses it for another command")
    func fido2TakesWhatTheTestsOfThisProjectTakeForABrowsersAnswer() throws {
        var questions: [String] = []
        for _ in 0..<16 {
            let passkey = try #require(TestPasskey())
            let message = Random.bytes(90)
            let assertion = try #require(passkey.assertion(of: message))
            for asked in [message, message + [0]] {
                let parts = [
                    passkey.publicKey, asked, assertion.authenticatorData, assertion.clientData, assertion.signature,
                ]
                questions.append("check " + parts.map { Hex.encode($0) }.joined(separator: " "))
            }
        }
        let answers = try Fido2.answers(questions)
        #expect(answers.count == 32)
        for (number, answer) in answers.enumerated() { #expect(answer == (number.isMultiple(of: 2) ? "good" : "bad")) }
    }
}

/// A small server of fido2: makes answers of passkeys, right ones and wrong ones, and judges them.
private enum Fido2 {
    static let kinds = [
        "plain", "synced", "counter", "type", "origin", "challenge", "absent", "unverified", "party", "signature",
    ]
    static let advice = "start 'tools/lib/independents' first; tools/test does"
    private static let place = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent(".build/independents").path
    /// Where tests must not be skipped, one that cannot run fails.
    static let isThere =
        ProcessInfo.processInfo.environment["CI"] == "true"
        || FileManager.default.fileExists(atPath: "\(place)/fido2.done")

    struct Failed: Error {
        var status: Int32
    }

    static func answers(_ questions: [String]) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "\(place)/python/bin/python")
        process.arguments = ["-c", program]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // It reads all before it writes.
        try input.fileHandleForWriting.write(contentsOf: Data(questions.joined(separator: "\n").utf8))
        try input.fileHandleForWriting.close()
        let written = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(status: process.terminationStatus) }
        return String(decoding: written, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static let program = #"""
        import base64, hashlib, sys
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from fido2.cose import ES256
        from fido2.server import Fido2Server
        from fido2.webauthn import *

        PARTY, ORIGIN = "alarm.example.org", "https://alarm.example.org"
        server = Fido2Server(PublicKeyCredentialRpEntity(name="House", id=PARTY), verify_origin=lambda o: o == ORIGIN)

        def text(data):
            return base64.urlsafe_b64encode(bytes(data)).decode().rstrip("=")

        def verdict(public, message, authenticator, client, signature):
            credential = AttestedCredentialData.create(bytes(16), b"id", ES256.from_cryptography_key(public))
            _, state = server.authenticate_begin(
                [credential], user_verification="required", challenge=hashlib.sha256(message).digest())
            try:
                server.authenticate_complete(state, [credential], {
                    "id": text(b"id"), "rawId": text(b"id"), "type": "public-key",
                    "response": {"clientDataJSON": text(client), "authenticatorData": text(authenticator),
                                 "signature": text(signature)}})
                return "good"
            except ValueError:
                return "bad"

        for line in sys.stdin.read().splitlines():
            kind, *parts = line.split()
            if kind == "check":
                point, message, authenticator, client, signature = map(bytes.fromhex, parts)
                public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
                print(verdict(public, message, authenticator, client, signature))
                continue
            message = bytes.fromhex(parts[0])
            key = ec.generate_private_key(ec.SECP256R1())
            challenge = hashlib.sha256(message + (b"x" if kind == "challenge" else b"")).digest()
            client = CollectedClientData.create(
                "webauthn.create" if kind == "type" else "webauthn.get", challenge,
                "https://evil.example" if kind == "origin" else ORIGIN)
            flags = {"absent": 0x04, "unverified": 0x01, "synced": 0x1D}.get(kind, 0x05)
            party = "example.org" if kind == "party" else PARTY
            authenticator = AuthenticatorData.create(
                hashlib.sha256(party.encode()).digest(), flags, 2**32 - 1 if kind == "counter" else 0)
            signature = key.sign(
                bytes(authenticator) + (b"x" if kind == "signature" else b"") + client.hash, ec.ECDSA(hashes.SHA256()))
            point = key.public_key().public_bytes(
                serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
            print(verdict(key.public_key(), message, authenticator, client, signature),
                  point.hex(), bytes(authenticator).hex(), bytes(client).hex(), signature.hex())
        """#
}

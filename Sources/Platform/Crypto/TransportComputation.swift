import AlarmModel
import COpenSSL
package import PhoneProtocol

/// The computations that channels to people order, as functions without a state: they may run on any thread.
package enum TransportComputation {
    /// More PBKDF2 rounds than this are refused: a hostile server would otherwise keep the worker busy for minutes.
    package static let roundsLimit = 1_000_000
    package static let saltLimit = 1024
    package static let randomLimit = 64

    /// Takes milliseconds and more: not for the loop's thread.
    package static func isLong(_ job: TransportJob) -> Bool {
        switch job {
        case .signRS256, .scram, .pushKey, .signPush: true
        case .hmacSHA256, .channelBinding, .random, .capabilities, .capability, .sealPush, .sealReport, .openReport:
            false
        }
    }

    /// A channel binding has to be asked of the connection (`SecureStream.channelBinding`) and fails here.
    ///
    /// - Parameter storage: of the box's key towards push services; nil: jobs that need it fail
    package static func answer(to job: TransportJob, _ storage: (any PushKeyStorage)? = nil) -> TransportAnswer {
        switch job {
        case .pushKey, .signPush: PushKey.answer(to: job, storage)
        case .sealPush(let message, let point, let secret, let size): sealPush(message, to: point, secret, size)
        case .sealReport(let key, let text): ReportCipher.seal(text, key)
        case .openReport(let key, let bytes): ReportCipher.open(bytes, key)
        case .signRS256(let key, let message): signRS256(key, message)
        case .hmacSHA256(let key, let message): .bytes(hmac(.sha256, key: Array(key.revealed.utf8), message))
        case .scram(let hash, let password, let salt, let rounds, let authMessage):
            scram(hash, password, salt: salt, rounds: rounds, authMessage)
        case .channelBinding: noBinding
        case .capabilities(let count): capabilities(count)
        case .capability(let bytes): .bytes(Capability.stored(bytes, OpenSSLCrypto()))
        case .random(let count):
            (0...randomLimit).contains(count)
                ? .bytes(Random.bytes(count))
                : .failed("\(count) random bytes were asked for; 0 to \(randomLimit) are given")
        }
    }

    /// Buttons for phones without our app (docs/pairing.md 10).
    private static func capabilities(_ count: Int) -> TransportAnswer {
        guard (0...8).contains(count) else { return .failed("\(count) buttons were asked for; 0 to 8 are given") }
        return .capabilities(
            (0..<count).map { _ in
                let bytes = Random.bytes(16)
                return MadeCapability(bytes: bytes, stored: Capability.stored(bytes, OpenSSLCrypto()))
            })
    }

    private static func sealPush(
        _ message: [UInt8], to point: [UInt8], _ secret: String, _ size: Int
    ) -> TransportAnswer {
        guard let secret = try? Base64URL.decode(secret), secret.count == 16,
            let body = PushSealing.seal(message, to: point, secret: secret, size: size)
        else { return .failed("the keys of its subscription are none") }
        return .bytes(body)
    }

    static let noBinding = TransportAnswer.failed(
        "the connection has no channel binding: it is not encrypted, or with a version before TLS 1.3")

    private static func signRS256(_ key: Secret, _ message: [UInt8]) -> TransportAnswer {
        do throws(RSAKeyProblem) {
            let key = try OpenSSLKey.rsa(privatePEM: Array(key.revealed.utf8))
            guard let signature = key.sign(message, digest: EVP_sha256()) else {
                return .failed("OpenSSL cannot sign with the private key; fetch it anew")
            }
            return .bytes(signature)
        } catch {
            return .failed(error.description)
        }
    }

    /// RFC 5802 3. The password is taken as its UTF-8 is.
    private static func scram(
        _ hash: SCRAMHash, _ password: Secret, salt: [UInt8], rounds: Int, _ authMessage: [UInt8]
    ) -> TransportAnswer {
        guard (1...roundsLimit).contains(rounds), let count = Int32(exactly: rounds) else {
            return .failed(
                "the server asks for \(rounds) rounds of its password hash; 1 to \(roundsLimit) are taken. Set fewer "
                    + "there, or use another server")
        }
        guard (1...saltLimit).contains(salt.count) else {
            return .failed("the server's salt has \(salt.count) bytes; 1 to \(saltLimit) are taken")
        }
        let text = Array(password.revealed.utf8).map { CChar(bitPattern: $0) }
        guard let textCount = Int32(exactly: text.count) else { return .failed("the password is too long") }
        var salted = [UInt8](repeating: 0, count: hash.byteCount)
        let result = PKCS5_PBKDF2_HMAC(
            text, textCount, salt, Int32(salt.count), count, hash.digest, Int32(salted.count), &salted)
        guard result == 1 else { return .failed("OpenSSL cannot hash the password: \(OpenSSLQueue.takeText())") }
        let clientKey = hmac(hash, key: salted, Array("Client Key".utf8))
        let clientSignature = hmac(hash, key: digest(hash, clientKey), authMessage)
        let serverKey = hmac(hash, key: salted, Array("Server Key".utf8))
        return .scram(
            proof: zip(clientKey, clientSignature).map { $0 ^ $1 },
            serverSignature: hmac(hash, key: serverKey, authMessage))
    }

    private static func hmac(_ hash: SCRAMHash, key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: hash.byteCount)
        var length = 0
        // By RFC 2104 an empty key is the same as one of zeros, which OpenSSL is surer to take.
        let key = key.isEmpty ? [0] : key
        let done = EVP_Q_mac(
            nil, "HMAC", nil, hash.libraryName, nil, key, key.count, message, message.count, &code, code.count, &length)
        precondition(done != nil && length == hash.byteCount, "OpenSSL has HMAC with SHA-1 and SHA-256")
        return code
    }

    private static func digest(_ hash: SCRAMHash, _ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: hash.byteCount)
        var length: UInt32 = 0
        let result = EVP_Digest(bytes, bytes.count, &digest, &length, hash.digest, nil)
        precondition(result == 1 && Int(length) == hash.byteCount, "OpenSSL has SHA-1 and SHA-256")
        return digest
    }
}

extension SCRAMHash {
    fileprivate var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        }
    }

    fileprivate var libraryName: String {
        switch self {
        case .sha1: "SHA1"
        case .sha256: "SHA256"
        }
    }

    fileprivate var digest: OpaquePointer? {
        switch self {
        case .sha1: EVP_sha1()
        case .sha256: EVP_sha256()
        }
    }
}

package import AlarmModel
import COpenSSL
import PhoneProtocol

/// The console's PIN by scrypt (RFC 7914). Takes some tenths of a second on the board and 16 MB: for the worker thread.
package enum PINDerivation {
    private static let logN = 14
    private static let blockSize = 8
    private static let parallel = 1

    package static func answer(to job: PINJob) -> PINAnswer {
        switch job {
        case .make(let pin):
            var made = ConsolePIN(
                logN: logN, blockSize: blockSize, parallel: parallel, salt: Random.bytes(16), hash: [])
            guard let hash = hash(of: pin, by: made) else { return failure }
            made.hash = hash
            return .made(made)
        case .check(let pin, let kept):
            guard let hash = hash(of: pin, by: kept) else { return failure }
            return .matches(ConstantTime.equal(hash, kept.hash))
        }
    }

    private static var failure: PINAnswer { .failed("OpenSSL cannot derive a key: \(OpenSSLQueue.takeText())") }

    private static func hash(of pin: Secret, by kept: ConsolePIN) -> [UInt8]? {
        // What was stored may be damaged: it must neither trap nor have gigabytes allocated.
        guard (10...18).contains(kept.logN), (1...16).contains(kept.blockSize), (1...16).contains(kept.parallel) else {
            return nil
        }
        var hash = [UInt8](repeating: 0, count: 32)
        let text = Array(pin.revealed.utf8).map { CChar(bitPattern: $0) }
        let result = EVP_PBE_scrypt(
            text, text.count, kept.salt, kept.salt.count, UInt64(1) << UInt64(kept.logN), UInt64(kept.blockSize),
            UInt64(kept.parallel), UInt64(512) << 20, &hash, hash.count)
        return result == 1 ? hash : nil
    }
}

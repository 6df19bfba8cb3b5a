import PhoneProtocol

/// Where the box keeps its key towards push services (RFC 8292).
package protocol PushKeyStorage: Sendable {
    /// nil: there is none yet.
    func load() throws(PushKeyFailure) -> [UInt8]?
    /// Durable when it returns.
    func save(_ key: [UInt8]) throws(PushKeyFailure)
}

/// Why there is no such key.
package struct PushKeyFailure: Error, Equatable, Sendable {
    /// In words, with what to do.
    package var why: String
    package init(_ why: String) { self.why = why }
}

/// What is done with the key: it leaves the storage for the time of one use, on the thread for long computations.
enum PushKey {
    static func answer(to job: TransportJob, _ storage: (any PushKeyStorage)?) -> TransportAnswer {
        do throws(PushKeyFailure) {
            guard let storage else { throw PushKeyFailure("nothing is kept here") }
            let key = try key(in: storage)
            guard case .signPush(let input) = job else { return .bytes(key.publicKey) }
            guard let signature = key.sign(input) else { throw PushKeyFailure("OpenSSL cannot sign with it") }
            return .bytes(signature)
        } catch {
            return .failed(error.why)
        }
    }

    /// A damaged key is not replaced: phones have subscribed with it, and a backup may hold it.
    private static func key(in storage: any PushKeyStorage) throws(PushKeyFailure) -> OpenSSLSigner {
        if let stored = try storage.load() {
            guard let key = OpenSSLSigner(p256Stored: stored) else {
                throw PushKeyFailure(
                    "the file with it is damaged; bring a backup back, or delete the file and pair the phones again")
            }
            return key
        }
        guard let made = OpenSSLSigner.generateP256() else { throw PushKeyFailure("OpenSSL cannot make one") }
        try storage.save(made.stored)
        return made
    }
}

import AlarmModel
import Platform
import Testing

@Suite struct SealingTests {
    private let cheap = Sealing.Cost(logN: 10, blockSize: 1, parallel: 1)
    private let passphrase = Secret("correct horse")

    @Test("what was sealed is opened again, whatever its size", arguments: [0, 1, 100_000])
    func whatWasSealedIsOpenedAgain(count: Int) throws {
        let plain = Random.bytes(count)
        let sealed = try Sealing.seal(plain, passphrase: passphrase, cost: cheap)
        #expect(sealed.count == count + 56)
        #expect(try Sealing.open(sealed, passphrase: passphrase) == plain)
        #expect(try Sealing.seal(plain, passphrase: passphrase, cost: cheap) != sealed)
    }

    @Test("the standard cost works")
    func theStandardCostWorks() throws {
        let sealed = try Sealing.seal([1, 2, 3], passphrase: passphrase)
        #expect(try Sealing.open(sealed, passphrase: passphrase) == [1, 2, 3])
    }

    @Test("another passphrase does not open it")
    func anotherPassphraseDoesNotOpenIt() throws {
        let sealed = try Sealing.seal([1, 2, 3], passphrase: passphrase, cost: cheap)
        for other in ["", "correct hors", "Correct horse", "correct horse "] {
            #expect(throws: SealingError.wrongPassphrase) { try Sealing.open(sealed, passphrase: Secret(other)) }
        }
    }

    @Test("no bit of a container can be changed, and none of its bytes left out")
    func noBitOfAContainerCanBeChanged() throws {
        let sealed = try Sealing.seal([1, 2, 3], passphrase: passphrase, cost: cheap)
        for bit in 0..<(sealed.count * 8) {
            var damaged = sealed
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: SealingError.self, "bit \(bit)") { try Sealing.open(damaged, passphrase: passphrase) }
        }
        for count in 0..<sealed.count {
            #expect(throws: SealingError.self, "\(count) bytes") {
                try Sealing.open(Array(sealed[..<count]), passphrase: passphrase)
            }
        }
        #expect(throws: SealingError.self) { try Sealing.open(sealed + [0], passphrase: passphrase) }
    }

    @Test("a foreign file and a newer form are told apart from damage")
    func aForeignFileAndANewerFormAreToldApartFromDamage() throws {
        #expect(throws: SealingError.notSealed) { try Sealing.open(Array("SQLite".utf8), passphrase: passphrase) }
        var newer = try Sealing.seal([], passphrase: passphrase, cost: cheap)
        newer[8] = 9
        #expect(throws: SealingError.unknownVersion(9)) { try Sealing.open(newer, passphrase: passphrase) }
    }

    @Test("SHA-256 gives the value of FIPS 180-4 for abc")
    func sha256GivesTheValueOfFIPS1804ForAbc() {
        let digest = Digest.sha256(Array("abc".utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(digest == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test("random bytes are as many as asked for and differ")
    func randomBytesAreAsManyAsAskedForAndDiffer() {
        #expect(Random.bytes(0).isEmpty)
        #expect(Random.bytes(1000).count == 1000)
        #expect(Random.bytes(16) != Random.bytes(16))
    }
}

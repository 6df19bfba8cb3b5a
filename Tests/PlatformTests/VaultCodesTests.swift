import AlarmModel
import PhoneProtocol
import Platform
import Testing

@Suite("One-time codes in the vault")
struct VaultCodesTests {
    private static let time = WallTime(milliseconds: 1_795_000_000_000)

    private func secret(_ vault: KeyVault<OpenSSLCrypto>) throws -> [UInt8] {
        let uri = try #require(vault.codesText?.revealed)
        let text = try #require(uri.split(separator: "secret=").last?.split(separator: "&").first)
        return try Base32.decode(String(text))
    }

    private func code(_ secret: [UInt8], _ steps: Int64 = 0) -> Secret {
        let step = Int64(OneTimeCode.step(at: Self.time) ?? 0) + steps
        return Secret(OneTimeCode.code(secret, step: UInt64(step), OpenSSLCrypto()))
    }

    @Test("a secret counts once its first code was typed, for its person, and goes to the file and back")
    func aSecretCountsOnceItsFirstCodeWasTyped() throws {
        var vault = KeyVault(crypto: OpenSSLCrypto())
        let anna = PersonID(1)
        #expect(vault.carryOut(.beginCodes(anna, issuer: "Mill", account: "Anna")) == .codesReady)
        let secret = try secret(vault)
        #expect(vault.carryOut(.checkCode(anna, code(secret), at: Self.time, lastUsed: 0)) == .codeStep(nil))
        #expect(vault.codes(of: [anna]).isEmpty)
        #expect(vault.carryOut(.confirmCodes(code(secret, 3), at: Self.time)) == .codeStep(nil))
        let step = try #require(OneTimeCode.step(at: Self.time))
        #expect(vault.carryOut(.confirmCodes(code(secret, 1), at: Self.time)) == .codeStep(step + 1))
        #expect(vault.codesText == nil)
        #expect(vault.carryOut(.confirmCodes(code(secret), at: Self.time)) == .codeStep(nil))

        var restarted = KeyVault(crypto: OpenSSLCrypto())
        restarted.load([], codes: vault.codes(of: [anna, PersonID(7)]))
        func check(_ person: PersonID, _ steps: Int64, after lastUsed: UInt64) -> VaultAnswer? {
            restarted.carryOut(.checkCode(person, code(secret, steps), at: Self.time, lastUsed: lastUsed))
        }
        #expect(check(anna, 0, after: step - 1) == .codeStep(step))
        #expect(check(anna, 0, after: step) == .codeStep(nil))
        #expect(check(PersonID(2), 0, after: 0) == .codeStep(nil))
        #expect(restarted.carryOut(.forgetCodes(anna)) == nil)
        #expect(check(anna, 0, after: 0) == .codeStep(nil))
    }

    @Test("neither the vault nor a secret shows itself when it is printed")
    func neitherTheVaultNorASecretShowsItselfWhenItIsPrinted() throws {
        let entry = try #require(CodeSecret(person: PersonID(1), bytes: Array(repeating: 0xAB, count: 20)))
        #expect(!"\(entry) \(String(reflecting: entry))".contains("171"))
        var text = ""
        dump(entry, to: &text)
        #expect(!text.contains("171"))
        #expect(CodeSecret(person: PersonID(1), bytes: []) == nil)
    }
}

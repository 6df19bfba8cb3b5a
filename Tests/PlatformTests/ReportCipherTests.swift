import AlarmModel
import PhoneProtocol
import Testing

@testable import Platform

@Suite("Messages to a receiver are encrypted as others encrypt them")
struct ReportCipherTests {
    private static let plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZ|#1234|1130 01 005]_17:20:05,11-26-2026"
    private static let keys = [
        "850cba22f7dd4f033405da83e4c5bae9", "850cba22f7dd4f033405da83e4c5bae90011223344556677",
        "850cba22f7dd4f033405da83e4c5bae99eab5c4e38ad504330f4dd7f22abc058",
    ]
    /// By siadc09 1.0.1, of the first 64 letters.
    private static let sealed = [
        "2f9e96d7dcd30e7b2e54fb04c9934a0d1bffc492d400ef2c16a66305f4ec6ee90faff673309e3535adc8c72f9e6c4fb035a96d1f030649da"
            + "7e8507523fd92dab",
        "3a84a6e937a2339e725e124f1818c02b52d058aa183c57df8606cfde0773a5a7b838541887eb525e8b8f664562e59b9b3e1fa6d8e8129771"
            + "f03121f9a416bf8c",
        "ccb21f683b1bad0057d11605e988f89e73c5c2498867af01838622c3a433fe2dcc936de20921ce2bf6d6d5033ebe46b7dd93a3828c26525a"
            + "dac83194058f8404",
    ]

    @Test("what another library encrypted is opened, with each length of key", arguments: 0..<3)
    func whatAnotherLibraryEncryptedIsOpened(_ index: Int) throws {
        let job = TransportJob.openReport(key: Secret(Self.keys[index]), try Hex.decode(Self.sealed[index]))
        #expect(TransportComputation.answer(to: job) == .bytes(Array(Self.plain.utf8.prefix(64))))
    }

    @Test("16 to 31 random letters stand in front, so that the same is never sealed alike", arguments: keys)
    func randomLettersStandInFront(_ key: String) throws {
        for count in 0..<40 {
            let text = "|" + String(repeating: "x", count: count)
            let jobs = [0, 1].map { _ in TransportComputation.answer(to: .sealReport(key: Secret(key), text: text)) }
            guard case .bytes(let first) = jobs[0], case .bytes(let second) = jobs[1] else {
                Issue.record("not sealed")
                return
            }
            #expect(first.count.isMultiple(of: 16) && first != second)
            guard case .bytes(let opened) = TransportComputation.answer(to: .openReport(key: Secret(key), first)) else {
                Issue.record("not opened")
                return
            }
            let front = opened.count - text.utf8.count
            #expect((16...31).contains(front) && String(decoding: opened[front...], as: UTF8.self) == text)
            #expect(!opened[..<front].contains { "|[]_".utf8.contains($0) })
        }
    }

    @Test("a key or a length that is none of AES is refused", arguments: ["", "850c", "xy", keys[0] + "00"])
    func aKeyThatIsNoneIsRefused(_ key: String) {
        for job in [
            TransportJob.sealReport(key: Secret(key), text: "x"),
            .openReport(key: Secret(key), [UInt8](repeating: 0, count: 16)),
            .openReport(key: Secret(Self.keys[0]), [UInt8](repeating: 0, count: 15)),
            .openReport(key: Secret(Self.keys[0]), [UInt8](repeating: 0, count: 4096)),
        ] {
            guard case .failed = TransportComputation.answer(to: job) else {
                Issue.record("\(job)")
                return
            }
        }
    }
}

import EventStore
import Foundation
import PhoneProtocol
import Platform
import Testing

@Suite("secrets of phones", .serialized, .timeLimit(.minutes(15)))
struct PhoneSecretTests {
    private static let password = "Kp4xZ9"
    private static let master = "739146"
    private static let key = "AIzaSECRETkeyOfTheServer"

    @Test("passwords, codes, keys and pairings are in nothing that is printed, logged, stored in clear or sent")
    func passwordsCodesKeysAndPairingsAreInNothingThatIsPrinted() throws {
        let house = try PhoneHouse.running(
            panelArguments: ["--password", Self.password, "--master-code", Self.master, "--trace"],
            pushArguments: ["--key", Self.key, "--trace"]
        ) { configuration, phones in
            configuration.password = Self.password
            configuration.masterCode = Self.master
            phones.key = Self.key
            phones.isLegacyEnabled = true
        }
        let trace = try house.house.spawn("trace", ["panel", "trace"])
        let anna = try PhoneProcess(in: house.directory, name: "Anna", push: house.push)
        #expect(try house.house.run("people", "add", "Anna").status == 0)
        let (code, digits) = try house.pair(anna, with: "Anna")
        try house.armAndDisarm(anna)
        try house.house.house("key panic")
        try anna.waitForLine("alarm 625")
        // Wrong digits, and a second code that is used by nobody.
        #expect(try house.house.run("phones", "confirm", digits).status != 0)
        let idle = try house.house.spawn("pairing-idle", ["phones", "pair", "--person", "Anna"])
        _ = try idle.waitForLine(containing: "waiting for the phone")
        let idleCode = idle.lines.first ?? ""
        for words in [
            ["status"], ["status", "--json"], ["phones"], ["phones", "--json"], ["people", "--all", "--json"],
            ["events", "--json"], ["phones", "dead", "--json"], ["phones", "test"],
        ] {
            #expect(try house.house.command(words).status == 0, "\(words)")
        }
        #expect(!trace.lines.isEmpty)
        try search(house, digits, try secrets(house, code, idleCode), "while it runs")
        #expect(try house.house.run("phones", "cancel").status == 0)
        try house.push.perform("auth-fail")
        try house.push.perform("close-abrupt")
        try house.house.waitForRecord("the account is refused") { $0.code == "PUSH_OFFLINE" }
        #expect(try house.house.stop() == 0)
        try search(house, digits, try secrets(house, code, idleCode), "after it has stopped")
    }

    private struct Sought {
        var name: String
        var bytes: [UInt8]
        /// Stands in the box's own file of keys.
        var isKept = false
    }

    private func secrets(_ house: PhoneHouse, _ codes: String...) throws -> [Sought] {
        var sought = [Self.password, Self.master, Self.key].map { Sought(name: $0, bytes: Array($0.utf8)) }
        sought += Self.forms(of: Array("\0\(PushProcess.sender)@gcm.googleapis.com\0\(Self.key)".utf8), "login")
        for code in codes {
            let payload = try PairingText(parsing: code, OpenSSLCrypto()).payload
            sought += Self.forms(of: Array(payload.suffix(16)), "secret of a pairing")
            sought.append(Sought(name: "code", bytes: Array(code.utf8)))
            let plain = code.replacing("-", with: "")
            sought.append(Sought(name: "code", bytes: Array(plain.utf8)))
            sought.append(Sought(name: "end of a code", bytes: Array(plain.utf8.suffix(24))))
        }
        let kept = try PhoneFile.read(in: house.house.stateDirectory).keys
        #expect(kept.count == 1)
        for (_, bytes) in kept {
            // version, id, then three keys of 32 bytes
            for (index, name) in ["up", "down", "bind"].enumerated() {
                let key = Array(bytes.dropFirst(9 + index * 32).prefix(32))
                #expect(key.count == 32)
                sought += Self.forms(of: key, "key \(name)").map {
                    Sought(name: $0.name, bytes: $0.bytes, isKept: true)
                }
            }
        }
        return sought
    }

    /// As they are, as hexadecimal digits, and in base 64 wherever they may begin.
    private static func forms(of bytes: [UInt8], _ name: String) -> [Sought] {
        let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        var forms = [
            Sought(name: name, bytes: bytes), Sought(name: "\(name), hex", bytes: Array(hex.utf8)),
            Sought(name: "\(name), HEX", bytes: Array(hex.uppercased().utf8)),
        ]
        for start in 0..<3 {
            let part = bytes.dropFirst(start)
            let text = Data(part.prefix(part.count / 3 * 3)).base64EncodedString()
            forms.append(Sought(name: "\(name), base 64", bytes: Array(text.utf8)))
            let url = text.replacing("+", with: "-").replacing("/", with: "_")
            forms.append(Sought(name: "\(name), base 64 URL", bytes: Array(url.utf8)))
        }
        return forms
    }

    /// Every file but the configuration, the phone's own, and the screen on which the code is meant to be.
    private func search(_ house: PhoneHouse, _ digits: String, _ sought: [Sought], _ when: String) throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: house.directory.path)
        let searched = names.filter { name in
            !name.hasPrefix("Anna") && !name.hasPrefix("pairing-") && !name.hasSuffix(".yaml")
        }
        #expect(
            searched.contains("state/journal.db") && searched.contains("push.out") && searched.contains("panel.out"))
        #expect(searched.contains { $0.hasPrefix("state/phones.keys") } && searched.contains { $0.hasPrefix("daemon") })
        var hits = 0
        for name in searched {
            guard let content = FileManager.default.contents(atPath: "\(house.directory.path)/\(name)") else {
                continue
            }
            let isKeyFile = name.hasPrefix("state/phones.keys")
            for secret in sought {
                let isFound = content.range(of: Data(secret.bytes)) != nil
                if isFound, isKeyFile, secret.isKept {
                    hits += 1
                    continue
                }
                #expect(!isFound, "\(when): \(secret.name) in \(name)")
            }
            let text = String(decoding: content, as: UTF8.self)
            let isShown =
                text.range(of: "(?<![0-9A-Za-z.])\(digits)(?![0-9A-Za-z])", options: .regularExpression) != nil
            #expect(!isShown, "\(when): the digits in \(name)")
        }
        #expect(hits >= 3, "the search finds what is there")
        house.house.notify.read()
        #expect(!house.house.notify.lines.joined().contains(digits))
    }
}

import Foundation
import Testing

@testable import Card
@testable import YAMLConfiguration

@Suite("the owner's text without its secrets") struct CardTextTests {
    private static func blanked(_ text: String) throws -> String {
        String(decoding: try CardText(Array(text.utf8)).blanked(), as: UTF8.self)
    }

    @Test(
        "a secret goes, everything else stays byte for byte",
        arguments: [
            ("panel:\n  password: user\n", "panel:\n  password: ''  # kept on the box\n"),
            ("panel:\r\n  password: user \t\r\n# x\r\n", "panel:\r\n  password: ''  # kept on the box \t\r\n# x\r\n"),
            ("panel:\n  password: 'a ''b'   # mine\n", "panel:\n  password: ''   # mine\n"),
            (
                "panel: {password: user, code_master: \"12\\x334\", port: 1}",
                "panel: {password: '', code_master: '', port: 1}"
            ),
            ("panel: {password: user\n}\n", "panel: {password: ''  # kept on the box\n}\n"),
            (
                "\u{FEFF}site: {name: Größe 💡}\npanel:\n password: ü",
                "\u{FEFF}site: {name: Größe 💡}\npanel:\n password: ''  # kept on the box"
            ),
            (
                "panel:\n  password: two\n    lines\n  port: 1\n",
                "panel:\n  password: ''  # kept on the box\n  port: 1\n"
            ),
            ("panel: {host: a}\nusers: {1: secret}\n", "panel: {host: a}\nusers: {1: secret}\n"),
            (
                "panel: {password: }\nmqtt: {user: u, password: ''}\n",
                "panel: {password: }\nmqtt: {user: u, password: ''}\n"
            ),
            (
                "links:\n  modem:\n    pin: 0042\n    password: x\nnetwork:\n  wifi:\n    password: y\nheartbeat:\n  url: https://a\n",
                "links:\n  modem:\n    pin: ''  # kept on the box\n    password: ''  # kept on the box\nnetwork:\n  wifi:\n"
                    + "    password: ''  # kept on the box\nheartbeat:\n  url: ''  # kept on the box\n"
            ),
            ("\"panel\":\n  ? password\n  : user\n", "\"panel\":\n  ? password\n  : ''  # kept on the box\n"),
        ])
    func aSecretGoesEverythingElseStaysByteForByte(_ text: String, _ left: String) throws {
        let result = try Self.blanked(text)
        #expect(Array(result.utf8) == Array(left.utf8), "\(result)")
    }

    @Test("a text in Latin-1 or UTF-16 is refused with what to do")
    func aTextInLatin1OrUTF16IsRefusedWithWhatToDo() throws {
        let utf16 = Array(try #require("panel: {}\n".data(using: .utf16LittleEndian)))
        #expect(throws: YAMLProblem.self) { try CardText([0xFF, 0xFE] + utf16) }
        #expect(throws: YAMLProblem.self) { try CardText(Array("panel: {password: ".utf8) + [0xFC, 0x7D]) }
    }

    @Test("a block of lines is taken whole or refused, and what follows stays")
    func aBlockOfLinesIsTakenWholeOrRefused() throws {
        for text in [
            "panel:\n  password: |\n    user\n  port: 1\n", "panel:\n  password: >-\n    user\n\n# c\nsite: {}\n",
        ] {
            guard let result = try? Self.blanked(text) else { continue }
            #expect(!result.contains("user"))
            #expect(result.hasSuffix(String(text.split(separator: "\n").last ?? "") + "\n"))
        }
    }

    @Test("the working text is the owner's with one line more, or is refused")
    func theWorkingTextIsTheOwnersWithOneLineMore() throws {
        for text in [
            "panel: {host: a}\n", "\u{FEFF}panel: {host: a}", "panel:\r\n  host: a\r\n   \r\n# end", "a: |\n  x\n",
        ] {
            let working = try CardText.working(Array(text.utf8), secrets: "s.yaml")
            #expect(CardText.owners(working, secrets: "s.yaml") == Array(text.utf8))
            let root = try YAMLDocument.parse(working).root
            #expect(root[["secrets"]]?.content == .scalar("s.yaml", .plain))
        }
        for text in ["{panel: {host: a}}\n", "panel: {host: a}\n...\n", "- a\n"] {
            #expect(throws: YAMLProblem.self) { try CardText.working(Array(text.utf8), secrets: "s.yaml") }
        }
        #expect(CardText.owners(Array("panel: {}\nsecrets: s.yaml\n".utf8), secrets: "s.yaml") == nil)
    }

    private static let nothing = YAMLNode(mark: .start, content: .mapping([]))

    @Test("kept secrets are read as they were written, whatever is in them")
    func keptSecretsAreReadAsTheyWereWritten() throws {
        var kept = KeptSecrets()
        let texts = ["'", "''", " a ", "#", "a: b", "\\n", "\"", "~", "null", "%@`", "ü💡", "- x", "!t", "'#'"]
        for (place, text) in zip(SecretPlace.all(in: Self.nothing), texts) where place.kept == place.path {
            kept.keep(text, at: place.kept)
        }
        #expect(kept.all.count > 10)
        let again = KeptSecrets(kept.bytes)
        for secret in kept.all { #expect(again[secret.path] == secret.text) }
        #expect(again.all.count == kept.all.count)
        #expect(KeptSecrets([0, 1, 2]).all.isEmpty)
    }

    @Test("what is pending is read whole or not at all")
    func whatIsPendingIsReadWholeOrNotAtAll() {
        let pending = PendingImport(working: Array("a\nb\n".utf8), secrets: Array("c\n\n".utf8))
        #expect(PendingImport(pending.bytes) == pending)
        for count in 0..<pending.bytes.count { #expect(PendingImport(Array(pending.bytes.prefix(count))) == nil) }
    }
}

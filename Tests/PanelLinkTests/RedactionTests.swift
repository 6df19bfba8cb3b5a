import AlarmModel
import PanelLink
import Testing

@Suite("Redaction")
struct RedactionTests {
    @Test(
        "secrets are masked by their code, at any length",
        arguments: [
            ("005user54", "005****"), ("005a34", "005****"), ("040112348F", "0401****"), ("0331123491", "0331****"),
            ("20012345C", "200****"), ("0711*103#AA", "0711****"), ("0711*1#47", "0711****"),
            ("12:34:56 040112348F", "12:34:56 0401****"), ("0401C5", "0401"), ("0301C4", "0301"), ("00090", "000"),
            ("60900130", "609001"), ("7501004091", "75010040"), ("010143011212686", "0101430112126"), ("", ""),
        ])
    func secretsAreMaskedByTheirCode(line: String, redacted: String) {
        #expect(Redaction.line(Array((line + "\r\n").utf8)) == redacted)
    }

    @Test(
        "rejected input keeps its secrets to itself",
        arguments: [
            "040112348F", "04011234", "0401 1234", "x0401123400", "005hunter200", "5000052A005hunter2", "005 hunter2",
            "20012345D", "2001234", "0711*1234#", "\u{1}0401123400", "0401\u{1}1234", "a1234b", "code=1234;",
            "99991234",
            "hunter2 after 005 hunter2".replacing("hunter2 after ", with: ""), "12:34:56 0401123400", "033 1 1234",
            "601040112345", "\0\0005hunter2\0", "%03,1,1234$", "005005hunter2", "12:34:56 005hunter2FF",
        ])
    func rejectedInputKeepsItsSecretsToItself(text: String) {
        let shown = Redaction.line(Array(text.utf8))
        #expect(!shown.contains("1234"))
        #expect(!shown.contains("hunter"))
        #expect(!shown.isEmpty)
    }

    @Test(
        "in rejected input everything behind the code of a secret is masked, wherever the code stands",
        arguments: [
            ("20012a34", "200****"), ("x 200 12", "x 200****"), ("005ab", "005****"), ("a005b", "a005****"),
            ("0331 2", "033****"), ("0401 2", "040****"), ("0711*#", "071****"), ("5000052A\u{1}", "500****"),
        ])
    func inRejectedInputEverythingBehindTheCodeOfASecretIsMasked(text: String, shown: String) {
        #expect(Redaction.rejected(Array(text.utf8)) == shown)
    }

    @Test("rejected input without secrets stays legible")
    func rejectedInputWithoutSecretsStaysLegible() {
        #expect(Redaction.rejected(Array("Login:".utf8)) == "Login:")
        #expect(Redaction.rejected(Array("6501CD".utf8)) == "650****CD")
        #expect(Redaction.rejected(Array("61000200".utf8)) == "610****")
        #expect(Redaction.rejected(Array("12:34:56 61000200".utf8)) == "12:34:56 610****")
        #expect(Redaction.rejected([0x41, 0xFF, 0x00, 0x5C, 0x7F]) == "A\\xFF\\x00\\x5C\\x7F")
    }

    @Test("no text of a line is longer than 80 characters, however the line looks")
    func noTextOfALineIsLongerThan80Characters() {
        for byte: UInt8 in [0x00, 0x35, 0x41, 0xFF] {
            for count in [0, 1, 20, 21, 79, 80, 81, 160, 161, 5000] {
                #expect(Redaction.rejected([UInt8](repeating: byte, count: count)).utf8.count <= Redaction.limit)
            }
        }
        let dump = DSCLine(code: "615", data: String(repeating: "0", count: 256))
        #expect(dump.redacted.utf8.count == Redaction.limit)
        #expect(dump.raw.utf8.count == 259)
        #expect(Redaction.rejected([UInt8](repeating: 0x35, count: 161)).hasSuffix("..."))
    }

    @Test("a rejection shows its input redacted")
    func aRejectionShowsItsInputRedacted() {
        let text = items("0401123400\r\n").first?.rejection.map(String.init(describing:))
        #expect(text == "wrong checksum: 040****")
    }

    @Test("known secrets are masked wherever they stand")
    func knownSecretsAreMaskedWhereverTheyStand() {
        let redactor = Redactor(secrets: [Secret("hunter2"), Secret("4711"), Secret(""), Secret("p\u{e4}ss\\")])
        #expect(redactor.text("nothing here") == "nothing here")
        #expect(redactor.text("hunter2") == "****")
        #expect(redactor.text("xhunter2hunter24711y 47114") == "x****y ****4")
        #expect(redactor.text("wrong \(Redaction.printable(Array("p\u{e4}ss\\".utf8)))!") == "wrong ****!")
        #expect(redactor.text("wrong p\u{e4}ss\\!") == "wrong ****!")
        #expect(redactor.line(Array("699hunter2".utf8)) == "699****")
        #expect(redactor.text("4711 471 711") == "**** 471 711")
    }

    @Test("known secrets that overlap leave nothing of either")
    func knownSecretsThatOverlapLeaveNothingOfEither() {
        let redactor = Redactor(secrets: [Secret("abcd"), Secret("cdef"), Secret("aaa")])
        #expect(redactor.text("-abcdef-") == "-****-")
        #expect(redactor.text("-aaaaa-") == "-****-")
    }

    @Test("the beginning of a known secret at the end of a cut text is masked, too")
    func theBeginningOfAKnownSecretAtTheEndOfACutTextIsMasked() {
        let redactor = Redactor(secrets: [Secret("hunter2")])
        for shown in 1...6 {
            let text = Redaction.bounded(String(repeating: "x", count: 77 - shown) + "hunter2 and more")
            #expect(redactor.text(text) == String(repeating: "x", count: 77 - shown) + "****...")
        }
    }

    @Test("a redactor that is encoded does not show what it knows")
    func aRedactorThatIsEncodedDoesNotShowWhatItKnows() {
        #expect(!String(describing: Redactor(secrets: [Secret("hunter2")])).contains("hunter2"))
    }
}

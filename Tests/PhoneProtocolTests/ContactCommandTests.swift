import AlarmModel
import PhoneProtocol
import Testing

@Suite("Commands in words")
struct ContactCommandTests {
    private func error(_ text: String) -> ContactCommandError? {
        do throws(ContactCommandError) {
            _ = try ContactCommand(parsing: text)
            return nil
        } catch { return error }
    }

    @Test("each command is read, in any case and with any spaces")
    func eachCommandIsRead() throws {
        #expect(try ContactCommand(parsing: "status") == .status)
        #expect(try ContactCommand(parsing: "  STATUS\n") == .status)
        #expect(try ContactCommand(parsing: "arm") == .arm(.away, partition: nil))
        #expect(try ContactCommand(parsing: "Arm Night") == .arm(.night, partition: nil))
        #expect(try ContactCommand(parsing: "arm stay 2") == .arm(.stay, partition: 2))
        #expect(try ContactCommand(parsing: "arm 8") == .arm(.away, partition: 8))
        #expect(try ContactCommand(parsing: "disarm 012345") == .disarm(code: Secret("012345"), partition: nil))
        #expect(try ContactCommand(parsing: "disarm 012345 3") == .disarm(code: Secret("012345"), partition: 3))
        #expect(try ContactCommand(parsing: "bypass\t999999\u{A0}64") == .bypass(code: Secret("999999"), zone: 64))
        #expect(try ContactCommand(parsing: "log") == .log(10))
        #expect(try ContactCommand(parsing: "log 50") == .log(50))
        #expect(try ContactCommand(parsing: "Seen") == .seen)
        #expect(try ContactCommand(parsing: "?") == .help)
    }

    @Test("anything else is refused with what to write instead, and no digit that was typed is repeated")
    func anythingElseIsRefusedWithWhatToWriteInstead() {
        #expect(error("") == .empty)
        #expect(error(" \n ") == .empty)
        #expect(error(String(repeating: "status ", count: 40)) == .tooLong)
        #expect(error("panic") == .unknown("panic"))
        #expect(error("status now") == .tooMuch(word: "status"))
        #expect(error("arm away 1 1") == .tooMuch(word: "arm"))
        #expect(error("arm 9") == .number(word: "arm", what: "a partition", range: 1...8))
        #expect(error("arm everything") == .number(word: "arm", what: "a partition", range: 1...8))
        #expect(error("log +5") == .number(word: "log", what: "how many events", range: 1...50))
        #expect(error("log 99999999999999999999") == .number(word: "log", what: "how many events", range: 1...50))
        #expect(error("disarm") == .code(word: "disarm"))
        #expect(error("disarm 1234") == .code(word: "disarm"))
        #expect(error("disarm ١٢٣٤٥٦") == .code(word: "disarm"))
        #expect(error("bypass 123456") == .missing(word: "bypass", what: "a zone"))
        #expect(error("bypass 123456 65") == .number(word: "bypass", what: "a zone", range: 1...64))
        #expect(error("disarm 1234")?.description.contains("1234") == false)
        #expect(error("\u{202E}sutats")?.description.contains("\u{202E}") == false)
        #expect(error(String(repeating: "x", count: 100)) == .unknown(String(repeating: "x", count: 20) + "…"))
    }

    @Test("a command is as secret as its code when it is printed")
    func aCommandIsAsSecretAsItsCodeWhenItIsPrinted() throws {
        let command = try ContactCommand(parsing: "disarm 246802")
        #expect(!"\(command)".contains("246802"))
    }

    @Test("help tells what the person may do and nothing else")
    func helpTellsWhatThePersonMayDoAndNothingElse() {
        let text = ContactCommand.help(ContactVerb.byDefault(.xmpp))
        #expect(text.contains("status") && text.contains("log 10") && text.contains("help"))
        #expect(!text.contains("disarm CODE") && !text.contains("\narm"))
        #expect(ContactCommand.help(ContactVerb.allCases).contains("disarm CODE"))
    }
}

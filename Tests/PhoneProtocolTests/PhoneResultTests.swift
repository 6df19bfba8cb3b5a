import AlarmModel
import PhoneProtocol
import Testing

@Suite("The wire's words for outcomes")
struct PhoneResultTests {
    @Test("every outcome has its word")
    func everyOutcomeHasItsWord() {
        let table: [(Outcome, PhoneResult.Word, String?)] = [
            (.done, .ok, nil), (.refused(.notAllowed), .denied, "role"), (.failed(.storageFailed), .failed, "storage"),
            (.notConfirmed, .timeout, nil), (.expired, .expired, nil),
        ]
        for (outcome, word, why) in table {
            let result = PhoneResult(outcome)
            #expect(result.out == word)
            #expect(result.why == why)
        }
    }
}

import PhoneProtocol
import Testing

/// Telephone calls by a provider, whose HTTP interface the configuration describes.
@Suite("telephone calls", .serialized, .timeLimit(.minutes(15)))
struct CallTests {
    @Test("nobody confirms an alarm: the provider calls, a pressed key is heard, and no word shows login or number")
    func nobodyConfirmsAnAlarmTheProviderCalls() throws {
        let directory = try TestDirectory()
        let provider = try ServiceProcess(
            "calls", mark: "provider of calls listens:", in: directory, name: "calls",
            arguments: ["--login", "box:s3cr3tKey"])
        var configuration = Configuration()
        configuration.channels = [
            "calls:", "  numbers: {Anna: '+431234567', Berta: '+437654321'}", "  after: 1s",
            "  url: https://localhost:\(provider.port)/flows/alarm/executions", "  ca_file: \(provider.authorityFile)",
            "  user: box", "  password: s3cr3tKey", "  form: {To: '{number}', Parameters: {words: '{words}'}}",
            "  call_id: sid", "  status_url: https://localhost:\(provider.port)/flows/alarm/executions/{call}/context",
            "  key: context.widgets.ask.Digits",
        ]
        let house = try Appliance(configuration, in: directory)
        try house.start()
        try house.waitUntilUp()
        try provider.perform("press +437654321 1")
        try house.house("key panic")
        let calls = try eventually("two calls") {
            let said = try JSON(parsing: try provider.answer("calls")).arrayValue ?? []
            return said.count >= 2 ? said : nil
        }
        #expect(Set(calls.compactMap { $0["number"]?.stringValue }) == ["+431234567", "+437654321"])
        #expect(calls.first?["words"]?.stringValue?.hasPrefix("Mill Lane 4. ") == true, "\(calls)")
        try house.waitForRecord("the key") { $0.code == "CALL" && $0.text.contains("Berta pressed a key") }
        #expect(try JSON(parsing: try provider.answer("calls")).arrayValue?.count == 2)
        let said = (house.daemon?.output ?? "") + (try house.records().map(\.text).joined())
        #expect(!said.contains("s3cr3tKey") && !said.contains("+43"))
    }
}

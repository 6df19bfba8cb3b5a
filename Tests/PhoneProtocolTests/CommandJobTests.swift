import AlarmModel
import PhoneProtocol
import Testing

@Suite("Command jobs of HowAlarming's programs") struct CommandJobTests {
    private func parse(_ text: String) -> Result<CommandJob, CommandJobError> {
        Result { () throws(CommandJobError) in try CommandJob(parsing: Array(text.utf8)) }
    }

    private func panel(_ code: String, _ data: String) -> CommandJob {
        CommandJob(.panel(code: code, data: Secret(data)))
    }

    @Test("words, and panel commands in every form that the programs write")
    func wordsAndPanelCommandsInEveryFormThatTheProgramsWrite() {
        let cases: [(String, CommandJob)] = [
            ("arm", CommandJob(.word(.arm))), (" Disarm\r\n", CommandJob(.word(.disarm))),
            ("\"status\"", CommandJob(.word(.status))), ("police", CommandJob(.word(.police))),
            (#"{"type":"command","code":"030","message":"Partition Arm","data":"1"}"#, panel("030", "1")),
            (#"{"code":"001"}"#, panel("001", "")), (#"{"code":1,"data":null}"#, panel("001", "")),
            (#"{"code":["0","4","0"],"data":["1","9","8","7","6"],"timestamp":"17"}"#, panel("040", "19876")),
            (#"{"code":"030","data":1,"timestamp":1795228190}"#, panel("030", "1")),
            (#"{"raw":"x","unknown":{"a":[1]},"code":"321"}"#, panel("321", "")),
        ]
        for (text, job) in cases { #expect(parse(text) == .success(job), "\(text)") }
    }

    @Test(
        "when a program says that it made a command is nothing to us, whatever its form",
        arguments: ["\"1511000.123\"", "\"soon\"", "1795228190.75", "1e300", "null", "[17]", "{\"s\":17}"])
    func whenAProgramSaysThatItMadeACommandIsNothingToUs(_ timestamp: String) {
        #expect(parse("{\"code\":\"030\",\"data\":\"1\",\"timestamp\":\(timestamp)}") == .success(panel("030", "1")))
    }

    @Test("everything else is told apart")
    func everythingElseIsToldApart() {
        let cases: [(String, CommandJobError)] = [
            ("", .empty), (" \n", .empty), ("arm now", .unknownWord), ("0401987600", .unknownWord), ("{", .notJSON),
            ("[\"arm\"]", .notJSON), ("{}", .badMember("code")), (#"{"code":"12"}"#, .badMember("code")),
            (#"{"code":"1234"}"#, .badMember("code")), (#"{"code":"abc"}"#, .badMember("code")),
            (#"{"code":-1}"#, .badMember("code")), (#"{"code":"030","data":{}}"#, .badMember("data")),
            (#"{"code":"030","data":"1\r\n040"}"#, .badMember("data")),
            (#"{"code":"030","data":"ü"}"#, .badMember("data")),
            (#"{"code":"030","data":"\#(String(repeating: "1", count: 65))"}"#, .badMember("data")),
            (#"{"code":"030","type":"alarm"}"#, .badMember("type")),
            (String(repeating: " ", count: 5000), .tooLong), (#"{"code":[[[[[["0"]]]]]]}"#, .notJSON),
        ]
        for (text, error) in cases { #expect(parse(text) == .failure(error), "\(text.prefix(40))") }
        #expect(throws: CommandJobError.notText) { try CommandJob(parsing: [0x61, 0xFF]) }
    }

    @Test("a code is never printed")
    func aCodeIsNeverPrinted() {
        let job = panel("040", "19876")
        #expect("\(job)" == "panel command 040 with data")
        var dumped = ""
        dump(job, to: &dumped)
        #expect(!dumped.contains("9876") && !String(reflecting: job).contains("9876"))
        for text in ["0401987600", #"{"code":"0409876"}"#, #"{"code":"040","data":"19876"#] {
            guard case .failure(let error) = parse(text) else {
                Issue.record("an error")
                return
            }
            #expect(!"\(error)".contains("9876") && !String(reflecting: error).contains("9876"))
        }
    }
}

import AlarmModel
import PhoneProtocol
import Platform
import Testing

@Suite("What the process that speaks is asked")
struct SpeechRequestTests {
    private static func line(
        text: String = "Fire", language: String = "en", port: String = "ttyUSB4", rate: String = "8000"
    ) -> [UInt8] {
        Array(#"{"text":"\#(text)","language":"\#(language)","port":"\#(port)","rate":\#(rate)}"#.utf8)
    }

    @Test("words, language, port and rate are read as they are written")
    func wordsLanguagePortAndRateAreRead() throws {
        let request = try #require(SpeechRequest(Self.line(text: "Feuer: Küche", language: "de", rate: "48000")))
        #expect(request.words == SpokenWords("Feuer: Küche", in: .german))
        #expect(request.port == "ttyUSB4" && request.rate == 48_000)
        #expect(SpeechRequest(Array(request.json.utf8)) == request)
    }

    @Test(
        "a port that is a path, a rate that no telephone has, a language that nobody speaks and no words are refused",
        arguments: [
            line(port: "../ttyUSB4"), line(port: "/dev/ttyUSB4"), line(port: ".hidden"), line(port: ""),
            line(port: "tty USB4"), line(port: "tty\\u0000"), line(port: String(repeating: "t", count: 33)),
            line(rate: "7999"), line(rate: "48001"), line(rate: "-8000"), line(rate: "99999999999999999999"),
            line(rate: "8000.5"), line(rate: "null"), line(language: "fr"), line(language: ""), line(text: ""),
            Array(#"{"text":"Fire","language":"en","port":"ttyUSB4"}"#.utf8), Array("[]".utf8), Array("".utf8),
            Array(#"{"text":{"a":{"b":"c"}},"language":"en","port":"ttyUSB4","rate":8000}"#.utf8),
        ])
    func whatIsNotAsItShouldBeIsRefused(line: [UInt8]) { #expect(SpeechRequest(line) == nil) }

    @Test("16 KiB are read, a byte more is not")
    func sixteenKibibytesAreRead() {
        let room = SpeechRequest.longest - Self.line(text: "").count
        #expect(SpeechRequest(Self.line(text: String(repeating: "a", count: room))) != nil)
        #expect(SpeechRequest(Self.line(text: String(repeating: "a", count: room + 1))) == nil)
    }

    @Test("no line that is cut is one, and whatever byte is changed, the port stays a name")
    func whateverByteIsChangedThePortStaysAName() {
        let line = Self.line(text: "Fire, kitchen")
        for end in line.indices { #expect(SpeechRequest(Array(line[..<end])) == nil) }
        for place in line.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = line
                changed[place] = byte
                guard let request = SpeechRequest(changed) else { continue }
                #expect(!request.port.contains("/") && !request.port.hasPrefix("."))
                #expect((8000...48_000).contains(request.rate))
            }
        }
    }
}

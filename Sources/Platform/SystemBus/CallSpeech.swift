package import AlarmModel
package import PhoneProtocol

/// Speaks in a call that has been taken: hands words and port to a process of its own (`run-speech`), which speaks until
/// this connection ends. Confined to the loop's thread.
final class CallSpeech {
    private let onFailure: (ModemFailure) -> Void
    private var attempt: ConnectAttempt?
    private var stream: Stream?
    private var input: [UInt8] = []
    private var isOver = false

    /// - Parameters:
    ///   - socket: where the service manager starts that process
    ///   - onFailure: called once at most, later: nothing is spoken any more
    init(
        _ request: SpeechRequest, by socket: String, on loop: EventLoop, onFailure: @escaping (ModemFailure) -> Void
    ) {
        self.onFailure = onFailure
        attempt = Connector(on: loop).openUnix(socket) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let stream): self.begin(request, stream)
            case .failure: self.fail("nothing that speaks is installed (howalarming-speech.socket)")
            }
        }
    }

    private func begin(_ request: SpeechRequest, _ stream: Stream) {
        attempt = nil
        self.stream = stream
        stream.onReceived = { [weak self] bytes in
            guard let self, self.input.count < SpeechRequest.longestAnswer else { return }
            self.input += bytes
        }
        stream.onClosed = { [weak self] _ in
            guard let self else { return }
            self.fail(SpeechRequest.reason(self.input) ?? "the program that speaks ended")
        }
        stream.send(request.json.utf8 + [0x0A])
    }

    private func fail(_ why: String) {
        guard !isOver else { return }
        stop()
        onFailure(ModemFailure(.other, why))
    }

    /// Nothing is told any more.
    func stop() {
        isOver = true
        attempt?.cancel()
        stream?.close()
        (attempt, stream) = (nil, nil)
    }
}

/// What the process that speaks is asked: one line of JSON. It answers only where it fails, by one line of the same.
package struct SpeechRequest: Equatable, Sendable {
    package var words: SpokenWords
    /// The device's name below `/dev`. What is written there is heard in the call: samples of 16 bits, one channel.
    package var port: String
    /// Samples a second.
    package var rate: Int

    /// Bytes of a line.
    package static let longest = 16 * 1024
    package static let longestAnswer = 4096
    private static let rates = 8000...48_000

    /// - Parameter properties: of the call, as ModemManager tells them
    ///
    /// What is not told of the form is that of a telephone: some modems name the port alone.
    ///
    /// - Returns: nil: the modem's sound does not come to us, or in a form that is not known here
    init?(_ words: SpokenWords, _ properties: BusValue) {
        let format = properties["AudioFormat"]
        let rate = format?["rate"]?.integer ?? Self.rates.lowerBound
        guard let port = properties["AudioPort"]?.text, Self.isDevice(port), Self.rates.contains(rate),
            format?["encoding"]?.text ?? "pcm" == "pcm", format?["resolution"]?.text ?? "s16le" == "s16le"
        else { return nil }
        self.words = words
        self.port = port
        self.rate = rate
    }

    /// nil: it is none.
    package init?(_ line: [UInt8]) {
        guard let json = try? JSON(parsing: line, limits: JSON.Limits(depth: 2, bytes: Self.longest)),
            let text = json["text"]?.stringValue, !text.isEmpty,
            let language = json["language"]?.stringValue.flatMap({ NoticeLanguage(rawValue: $0) }),
            let port = json["port"]?.stringValue, Self.isDevice(port), let rate = json["rate"]?.integerValue,
            Self.rates.contains(Int(clamping: rate))
        else { return nil }
        words = SpokenWords(text, in: language)
        self.port = port
        self.rate = Int(rate)
    }

    package var json: JSON {
        .object([
            "text": .string(words.text), "language": .string(words.language.rawValue), "port": .string(port),
            "rate": .integer(Int64(rate)),
        ])
    }

    package static func failure(_ why: String) -> JSON { .object(["failed": .string(why)]) }

    /// Of an answer with its line end; nil: it is none.
    static func reason(_ answer: [UInt8]) -> String? {
        let line = Array(answer.prefix { $0 != 0x0A })
        return (try? JSON(parsing: line, limits: JSON.Limits(depth: 2, bytes: longestAnswer)))?["failed"]?.stringValue
    }

    /// A name and no path.
    private static func isDevice(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count) && name.utf8.first != 0x2E
            && name.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || [0x2D, 0x2E, 0x5F].contains($0)
            }
    }
}

import AlarmModel
import Platform
import Testing

@Suite("Calls by the modem on the system bus", .enabled(if: PrivateBus.isPossible, "\(PrivateBus.advice)"), .serialized)
struct VoiceCallsTests {
    @Test("a call is dialed, its tones are sent, a key is told, and it is hung up and deleted")
    func aCallIsDialed() throws {
        let house = try ModemHouse()
        defer { house.end() }
        try house.appear()
        try house.status("the modem") { $0.phase == .disabled }
        house.modem?.carryOut(.call(CallID(3), number: "+431234567"))
        try house.heard("Start +431234567")
        try house.control("CallChanges", [.int32(4), .uint32(3)])
        try house.wait(for: .call(CallID(3), .answered))
        house.modem?.carryOut(.sendTone(CallID(3), "D"))
        try house.heard("SendDtmf D")
        try house.control("KeyComes", [.string("5")])
        try house.wait(for: .call(CallID(3), .keyPressed))
        house.modem?.carryOut(.hangUp(CallID(3)))
        try house.heard("DeleteCall")
        let heard = try house.heard()
        #expect(
            heard == [
                "HangupAll", "CreateCall +431234567", "Start +431234567", "SendDtmf D", "Hangup", "DeleteCall",
            ])
        #expect(!house.facts.contains(.call(CallID(3), .ended)), "our own hanging up is not told as theirs")
    }

    @Test("words go to the process that speaks, with the port that the modem names, until the call is over")
    func wordsGoToTheProcessThatSpeaks() throws {
        let house = try ModemHouse()
        defer { house.end() }
        let speaker = try Speaker(on: house.bus.loop)
        try house.appear()
        try house.status("the modem") { $0.phase == .disabled }
        try house.control("SoundGoesTo", [.string("ttyUSB4"), .string("s16le")])
        house.modem?.carryOut(.call(CallID(3), number: "+431234567"))
        try house.heard("Start +431234567")
        house.modem?.carryOut(.speak(CallID(3), SpokenWords("Feuer", in: .german), socket: speaker.path))
        try house.bus.wait(for: "the words") { speaker.asked.count == 1 }
        let request = try #require(SpeechRequest(speaker.asked[0]))
        #expect(request.words == SpokenWords("Feuer", in: .german))
        #expect(request.port == "ttyUSB4" && request.rate == 8000)
        house.modem?.carryOut(.hangUp(CallID(3)))
        try house.bus.wait(for: "its end") { speaker.clients == 0 }
        #expect(!house.facts.contains { if case .call(_, .unspoken) = $0 { true } else { false } })
    }

    @Test("a port that the modem names only a moment after the call was taken is waited for")
    func aPortThatIsNamedLateIsWaitedFor() throws {
        let house = try ModemHouse()
        defer { house.end() }
        let speaker = try Speaker(on: house.bus.loop)
        try house.appear()
        try house.status("the modem") { $0.phase == .disabled }
        house.modem?.carryOut(.call(CallID(3), number: "+431234567"))
        try house.heard("Start +431234567")
        house.modem?.carryOut(.speak(CallID(3), SpokenWords("Feuer", in: .german), socket: speaker.path))
        let later = SystemClock.bootTime() + .milliseconds(700)
        try house.bus.wait(for: "a first look at it") { SystemClock.bootTime() >= later }
        try house.control("SoundIsSetUp", [.string("ttyUSB4")])
        try house.bus.wait(for: "the words") { speaker.asked.count == 1 }
    }

    @Test("a modem without sound, one with another form of it, nobody who speaks, and one who fails are told")
    func whyNothingIsSpoken() throws {
        let house = try ModemHouse()
        defer { house.end() }
        let speaker = try Speaker(on: house.bus.loop)
        try house.appear()
        try house.status("the modem") { $0.phase == .disabled }
        let silent = "it carries no sound that a program could speak into"
        func speak(_ id: UInt64, into socket: String, _ why: String) throws {
            house.modem?.carryOut(.call(CallID(id), number: "+4\(id)"))
            try house.heard("Start +4\(id)")
            house.modem?.carryOut(.speak(CallID(id), SpokenWords("Feuer", in: .german), socket: socket))
            if speaker.path == socket, why != silent {
                try house.bus.wait(for: "the words") { speaker.asked.count == 1 }
                speaker.fail(#"{"failed":"\#(why)"}"#)
            }
            try house.wait(for: .call(CallID(id), .unspoken(ModemFailure(.other, why))))
            house.modem?.carryOut(.hangUp(CallID(id)))
        }
        try speak(1, into: speaker.path, silent)
        try house.control("SoundGoesTo", [.string("ttyUSB4"), .string("s8")])
        try speak(2, into: speaker.path, silent)
        try house.control("SoundGoesTo", [.string("../sda"), .string("s16le")])
        try speak(3, into: speaker.path, silent)
        #expect(speaker.asked.isEmpty)
        try house.control("SoundGoesTo", [.string("ttyUSB4"), .string("")])
        try speak(4, into: "/nowhere", "nothing that speaks is installed (howalarming-speech.socket)")
        try speak(5, into: speaker.path, "no voice")
        #expect(SpeechRequest(try #require(speaker.asked.first))?.rate == 8000, "as a telephone's")
    }

    /// Stands for the service manager and the process that it starts.
    private final class Speaker {
        let path: String
        private(set) var asked: [[UInt8]] = []
        private(set) var clients = 0
        private let directory: TemporaryDirectory
        private var listener: Listener?
        private var stream: Platform.Stream?

        init(on loop: EventLoop) throws {
            directory = try TemporaryDirectory()
            path = "\(directory.path)/speech"
            listener = try Listener(directory: directory.path, name: "speech", on: loop) { [weak self] stream in
                self?.clients += 1
                self?.stream = stream
                stream.onReceived = { [weak self] bytes in self?.asked.append(Array(bytes.dropLast())) }
                stream.onClosed = { [weak self] _ in self?.clients -= 1 }
            }
        }

        func fail(_ answer: String) {
            stream?.send(Array((answer + "\n").utf8))
            stream?.close()
        }

        deinit { listener?.close() }
    }

    @Test("they hang up, the call breaks off, and the modem refuses: each is told, and its call is deleted")
    func howACallEnds() throws {
        let house = try ModemHouse()
        defer { house.end() }
        try house.appear()
        try house.status("the modem") { $0.phase == .disabled }
        for (id, reason, fact) in [
            (UInt64(1), UInt32(4), VoiceCallFact.ended), (2, 5, .ended),
            (3, 6, .failed(ModemFailure(.other, "the call broke off"))),
        ] {
            house.modem?.carryOut(.call(CallID(id), number: "+4\(id)"))
            try house.heard("Start +4\(id)")
            try house.control("CallChanges", [.int32(7), .uint32(reason)])
            try house.wait(for: .call(CallID(id), fact))
        }
        try house.bus.wait(for: "three deleted calls") { (try? house.heard())?.count { $0 == "DeleteCall" } == 3 }
        try house.control("FailNext", [.string("CreateCall"), .string("Core.Unauthorized"), .string("no")])
        house.modem?.carryOut(.call(CallID(4), number: "+44"))
        try house.wait(for: .call(CallID(4), .failed(ModemFailure(.notAllowed, "no"))))
        try house.control("ModemVanishes")
        try house.bus.wait(for: "the modem's going") { house.status == nil }
        house.modem?.carryOut(.call(CallID(5), number: "+45"))
        try house.wait(for: .call(CallID(5), .failed(ModemFailure(.noModem))))
    }

    @Test("a call that is hung up while it is made is never begun, and a service that goes ends it")
    func aCallThatIsHungUpWhileItIsMadeIsNeverBegun() throws {
        let house = try ModemHouse()
        defer { house.end() }
        try house.appear()
        try house.status("the modem") { $0.phase == .disabled }
        house.modem?.carryOut(.call(CallID(1), number: "+41"))
        house.modem?.carryOut(.hangUp(CallID(1)))
        house.modem?.carryOut(.call(CallID(2), number: "+42"))
        try house.heard("Start +42")
        #expect(try house.heard().contains("Start +41") == false)
        try house.bus.endServices()
        try house.wait(for: .call(CallID(2), .failed(ModemFailure(.noModem))))
    }
}

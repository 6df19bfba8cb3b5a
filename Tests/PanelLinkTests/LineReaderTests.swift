import PanelLink
import Testing

@Suite("The line reader")
struct LineReaderTests {
    @Test("blanks, NULs and line ends around a line do not matter")
    func blanksNULsAndLineEndsAroundALineDoNotMatter() {
        let plain = items("6501CC\r\n")
        for text in ["6501CC\n", "6501CC\r\r\n", " \0 6501CC \0\r\n", "\r\n\n\0\n6501CC\n  \n", "\r6501CC\n\n\n"] {
            #expect(items(text) == plain)
        }
        #expect(items("\r\n\n\0\0\n   \n") == [])
        #expect(items("6501CC\r") == [])
    }

    @Test("a checksum is read in either case")
    func aChecksumIsReadInEitherCase() {
        #expect(items("5108B10\n6501cc\n").compactMap(\.line).map(\.code) == ["510", "650"])
        #expect(items("609004d3\n").count == 1)
        #expect(items("6501cC\n") == items("6501CC\n"))
    }

    @Test("a stamp is taken off and kept beside the line")
    func aStampIsTakenOffAndKeptBesideTheLine() throws {
        let line = try #require(items("12:34:58 60900231\r\n").first?.line)
        #expect(line.stamp == "12:34:58")
        #expect(line.raw == "609002")
        #expect(line.message == .zoneOpen(zone: 2, open: true))
        #expect(line.redacted == "12:34:58 609002")
        for text in ["12:34:5860900231\n", "12-34-58 60900231\n", "12:34:58 \n", "1a:34:58 60900231\n"] {
            #expect(items(text).compactMap(\.rejection).count == 1, "\(text)")
        }
    }

    @Test("input that is not a line is told apart: too short, no code, unprintable, wrong sum")
    func inputThatIsNotALineIsToldApart() {
        for text in ["6501", "65C1", "Login:", "OK", "A501CC", "65 1CC", "6501\u{7}CC", "6501é", "%00,00$", "+501C2"] {
            guard case .malformed = items(text + "\n").first?.rejection else {
                Issue.record("\(text) is not malformed")
                continue
            }
        }
        for text in ["6501CD", "6501XX", "61000200", "6501C ", "650100CC"] {
            guard case .badChecksum = items(text + "\n").first?.rejection else {
                Issue.record("\(text) has no wrong checksum")
                continue
            }
        }
    }

    @Test("rejected input costs nothing but itself, and each kind is counted")
    func rejectedInputCostsNothingButItself() {
        var counters = PanelCounters()
        let text = "6501CC\r\n6501CD\r\nxx\r\n" + String(repeating: "6", count: 1025) + "\r\n6511CD\r\n"
        let items = items(text)
        for rejection in items.compactMap(\.rejection) { counters.count(rejection) }
        #expect(items.compactMap(\.line).map(\.message) == [.partition(1, .ready), .partition(1, .notReady)])
        #expect(counters.badChecksum == 1)
        #expect(counters.malformed == 1)
        #expect(counters.overlong == 1)
    }

    @Test(
        "a line of exactly the cap is read, one byte more is overlong, however it is cut",
        arguments: [1, 7, 1024, 4096])
    func aLineOfExactlyTheCapIsRead(piece: Int) {
        let longest = wire("699" + String(repeating: "x", count: 1024 - 3 - 2 - 1))
        let tooLong = wire("699" + String(repeating: "x", count: 1024 - 3 - 2))
        #expect(longest.count == 1025)
        let bytes = longest + tooLong + wire("6501")
        let pieces = stride(from: 0, to: bytes.count, by: piece).map { bytes[$0..<min($0 + piece, bytes.count)] }
        let items = items(pieces)
        #expect(items.map { $0.line?.code } == ["699", nil, "650"])
        guard case .overlong = items[1].rejection else {
            Issue.record("not overlong")
            return
        }
        #expect(items == PanelLinkTests.items(bytes))
    }

    @Test(
        "an endless line is reported once and takes no memory; the line behind its end is read",
        arguments: [1, 100, 5000])
    func anEndlessLineIsReportedOnceAndTakesNoMemory(piece: Int) {
        var reader = LineReader()
        var rejections = 0
        let bytes = [UInt8](repeating: 0x37, count: piece)
        for _ in 0..<(200_000 / piece) {
            reader.append(bytes)
            while reader.next() != nil { rejections += 1 }
        }
        #expect(rejections == 1)
        // What is kept shows in how the reader prints; the buffer is a part of it.
        #expect(String(describing: reader).utf8.count < 8 * LineReader.cap)
        reader.append(Array("7\r\n6501CC\r\n".utf8))
        #expect(reader.next()?.line?.message == .partition(1, .ready))
        #expect(reader.next() == nil)
    }

    @Test("an endless line that nobody fetches is cut while it comes", arguments: [1000, 1_000_000])
    func anEndlessLineThatNobodyFetchesIsCutWhileItComes(piece: Int) {
        var reader = LineReader()
        for _ in 0..<(1_000_000 / piece) { reader.append([UInt8](repeating: 0x37, count: piece)) }
        #expect(String(describing: reader).utf8.count < 8 * LineReader.cap)
        reader.append(Array("\n6501CC\n".utf8))
        guard case .overlong = reader.next()?.rejection else {
            Issue.record("not overlong")
            return
        }
        #expect(reader.next()?.line?.code == "650")
    }

    @Test("a reader that read everything equals a new one")
    func aReaderThatReadEverythingEqualsANewOne() {
        var reader = LineReader()
        reader.append(Array("6501CC\r\nxx\r\n".utf8))
        while reader.next() != nil {}
        #expect(reader == LineReader())
    }

    @Test("an unfinished greeting can be looked at")
    func anUnfinishedGreetingCanBeLookedAt() {
        var reader = LineReader()
        #expect(reader.unfinishedText == nil)
        reader.append(Array("6501CC\r\nLogin:".utf8))
        #expect(reader.next() != nil)
        #expect(reader.next() == nil)
        #expect(reader.unfinishedText == "Login:")
    }

    @Test("several lines of one segment come out in their order, and a reader can be kept and taken up again")
    func severalLinesOfOneSegmentComeOutInTheirOrder() throws {
        var reader = LineReader()
        reader.append(Array("5000052A\r\n5051CB\r\n60".utf8))
        #expect(reader.next()?.line?.message == .acknowledged(command: 5))
        var copy = reader
        #expect(copy.next()?.line?.message == .login(.accepted))
        #expect(copy.next() == nil)
        copy.append(Array("900130\r\n".utf8))
        #expect(copy.next()?.line?.message == .zoneOpen(zone: 1, open: true))
    }
}

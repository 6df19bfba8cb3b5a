import PhoneLink
import Testing

@Suite("Reading XML")
struct XMLReaderTests {
    static let root = "<s:stream xmlns:s='http://etherx.jabber.org/streams' xmlns='jabber:client' id='1'>"

    static func events(_ pieces: [[UInt8]], limits: XMLReader.Limits = .init()) -> [XMLReader.Event] {
        var reader = XMLReader(limits: limits)
        var events: [XMLReader.Event] = []
        for piece in pieces {
            reader.append(piece)
            while let event = reader.next() { events.append(event) }
        }
        return events
    }

    static func elements(_ text: String, limits: XMLReader.Limits = .init()) -> [XMLElement]? {
        var elements: [XMLElement] = []
        for event in events([Array((root + text).utf8)], limits: limits) {
            switch event {
            case .element(let element): elements.append(element)
            case .failed: return nil
            case .opened, .closed: break
            }
        }
        return elements
    }

    static func error(_ text: String, limits: XMLReader.Limits = .init()) -> XMLError.Reason? {
        guard case .failed(let error) = events([Array((root + text).utf8)], limits: limits).last else { return nil }
        return error.reason
    }

    @Test("header, stanzas and end come out as values")
    func headerStanzasAndEndComeOutAsValues() {
        let text =
            "<?xml version='1.0' encoding='utf-8'?>\(Self.root) <a b='1'>x<c xmlns='u' p:d='2' xmlns:p='q'/>y</a>\n</s:stream>"
        let header = XMLElement(
            "stream", namespace: "http://etherx.jabber.org/streams", attributes: [XMLAttribute("id", "1")])
        let inner = XMLElement("c", namespace: "u", attributes: [XMLAttribute("d", "2", namespace: "q")])
        let stanza = XMLElement(
            "a", namespace: "jabber:client", attributes: [XMLAttribute("b", "1")], children: [inner], text: "xy")
        #expect(Self.events([Array(text.utf8)]) == [.opened(header), .element(stanza), .closed])
    }

    @Test("a stream that begins and ends in one tag does both; what follows it is none of it")
    func aStreamThatBeginsAndEndsInOneTagDoesBoth() {
        let opened = XMLReader.Event.opened(XMLElement("a", namespace: "jabber:client"))
        #expect(Self.events([Array("<a xmlns='jabber:client'/>".utf8)]) == [opened, .closed])
        let more = Self.events([Array("<a xmlns='jabber:client'/><b/>".utf8)])
        #expect(more.prefix(2) == [opened, .closed] && more.count == 3)
        guard case .failed(let error)? = more.last else {
            Issue.record("what follows is an error")
            return
        }
        #expect(error.reason == .afterEnd)
    }

    @Test("a stream in bytes, or cut anywhere, reads like the whole")
    func aStreamInBytesOrCutAnywhereReadsLikeTheWhole() {
        let text = Self.root + "<a b='&lt;&#x1F600;\r\n'>é\r\n&amp;<![CDATA[<x>]] &amp; ]]>z</a> <b/></s:stream>"
        let bytes = Array(text.utf8)
        let whole = Self.events([bytes])
        #expect(whole.count == 4)
        #expect(Self.events(bytes.map { [$0] }) == whole)
        for place in 0...bytes.count {
            #expect(Self.events([Array(bytes[..<place]), Array(bytes[place...])]) == whole)
        }
    }

    @Test("text is what all its pieces say")
    func textIsWhatAllItsPiecesSay() {
        let cases = [
            ("<a>1&lt;2&amp;&gt;&quot;&apos;</a>", "1<2&>\"'"), ("<a>&#65;&#x42;&#x1F600;</a>", "AB😀"),
            ("<a>x<![CDATA[<&amp;]]]]>y</a>", "x<&amp;]]y"), ("<a>a\r\nb\rc\n&#13;</a>", "a\nb\nc\n\r"),
            ("<a>1<b>no</b>2</a>", "12"), ("<a>]] ></a>", "]] >"),
        ]
        for (xml, text) in cases { #expect(Self.elements(xml)?.first?.text == text, "\(xml)") }
        #expect(Self.elements("<a b=' x\r\ny\t&#10;'/>")?.first?["b"] == " x y \n")
    }

    @Test("what XMPP forbids and what is no XML is refused")
    func whatXMPPForbidsAndWhatIsNoXMLIsRefused() {
        let cases: [(String, XMLError.Reason)] = [
            ("<!-- x -->", .comment), ("<!DOCTYPE a>", .documentType), ("<!ELEMENT a>", .badMarkup),
            ("<?php ?>", .instruction), ("<?xml version='1.0'?>", .instruction), ("<a>&nbsp;</a>", .badEntity),
            ("<a>&#0;</a>", .badEntity), ("<a>&#xD800;</a>", .badEntity), ("<a>&#+65;</a>", .badEntity),
            ("<a>&#;</a>", .badEntity), ("<a>& b</a>", .badEntity), ("<a>&#xFFFFFFFFFF;</a>", .badEntity),
            ("<a>\u{1}</a>", .badCharacter), ("<a>\u{FFFE}</a>", .badCharacter), ("<a>x]]></a>", .sectionEnd),
            ("text", .textOutside), ("<![CDATA[x]]>", .textOutside), ("<a></b>", .wrongEndTag),
            ("<a b='1' b='2'/>", .duplicateAttribute),
            ("<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>", .duplicateAttribute), ("<p:a/>", .unknownPrefix),
            ("<a p:b='1'/>", .unknownPrefix), ("<a xmlns:p=''/>", .badNamespace), ("<a xmlns:xml='u'/>", .badNamespace),
            ("<a xmlns:xmlns='u'/>", .badNamespace), ("<a b=1/>", .badTag), ("<a b/>", .badTag),
            ("<a b='1'c='2'/>", .badTag), ("<a b='<'/>", .badTag), ("<a 'b'/>", .badTag), ("<1/>", .badName),
            ("<a:b:c/>", .badTag), ("</s:stream>x", .afterEnd), ("</s:stream><a/>", .afterEnd), ("<a / >", .badTag),
        ]
        for (xml, reason) in cases { #expect(Self.error(xml) == reason, "\(xml)") }
    }

    @Test("bytes that are not UTF-8 are refused with their place")
    func bytesThatAreNotUTF8AreRefusedWithTheirPlace() {
        for bytes: [UInt8] in [
            [0x80], [0xC0, 0xAF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC3], [0xFF],
        ] {
            let start = Array((Self.root + "<a>x").utf8)
            let events = Self.events([start + bytes + Array("</a>".utf8)])
            #expect(events.last == .failed(XMLError(offset: start.count, reason: .notUTF8)), "\(bytes)")
        }
    }

    @Test("the limits hold: depth, bytes, elements, attributes, names")
    func theLimitsHoldDepthBytesElementsAttributesNames() {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(Self.elements(nested(32))?.count == 1)
        #expect(Self.error(nested(33)) == .tooDeep)
        func long(_ bytes: Int) -> String { "<a>" + String(repeating: "x", count: bytes - 7) + "</a>" }
        #expect(Self.elements(long(65_536))?.count == 1)
        #expect(Self.elements(long(65_536) + " " + long(65_536))?.count == 2)
        #expect(Self.error(long(65_537)) == .tooLong)
        let endless: [(String, String)] = [
            ("<a", "x"), ("<a b='", "x"), ("<a>", "x"), ("<a><![CDATA[", "x"), ("</", "x"), ("<a>", "<b/>"),
        ]
        for (start, more) in endless {
            let reason = Self.error(start + String(repeating: more, count: 65_536))
            #expect(reason == .tooLong || reason == .tooManyElements, "\(start)")
        }
        let attributes = (0..<65).map { " a\($0)=''" }
        #expect(Self.elements("<a" + attributes.prefix(64).joined() + "/>")?.count == 1)
        #expect(Self.error("<a" + attributes.joined() + "/>") == .tooManyAttributes)
        #expect(Self.error("<" + String(repeating: "a", count: 257) + "/>") == .nameTooLong)
        #expect(Self.elements(String(repeating: " ", count: 200_000))?.isEmpty == true)
    }

    private static let many = String(repeating: "<b/>", count: 2048)
    private static let deep = String(repeating: "<b>", count: 40) + "t" + String(repeating: "</b>", count: 40)
    private static let wide = "<b" + (0..<70).map { " c\($0)='/'" }.joined()
    private static let long = String(repeating: "n", count: 300)

    @Test(
        "where it passes over what is beyond the limits, such a stanza comes without its content and the next one whole",
        arguments: [
            deep, deep + "<b>t</b>", many + "<b>t</b>", many + deep, wide + "/>", wide + ">t<d/>t</b>",
            "<\(long)/>t", "<\(long)><b/></\(long)>t", "<b><c>\(deep)</c>t</b>", "<b c='/>'>\(deep)</b>",
            "<![CDATA[t]]>" + deep + "<![CDATA[</a>]]>",
        ])
    func itPassesOverWhatIsBeyondTheLimits(content: String) {
        var limits = XMLReader.Limits()
        let text = "<a id='1'>\(content)</a><a id='2'>x<b/></a>"
        let sizes: [XMLError.Reason?] = [.tooDeep, .tooManyElements, .tooManyAttributes, .nameTooLong]
        #expect(sizes.contains(Self.error(text, limits: limits)))
        limits.passesOver = true
        let elements = Self.elements(text, limits: limits) ?? []
        #expect(elements.map { $0.attributes.map(\.value) } == [["1"], ["2"]])
        #expect(elements.map(\.text) == ["", "x"] && elements.map(\.children.count) == [0, 1])
    }

    @Test("what is passed over has to be as short as any stanza, and ends where its own tag ends")
    func whatIsPassedOverHasToBeShort() {
        var limits = XMLReader.Limits()
        limits.passesOver = true
        #expect(Self.error("<a>" + String(repeating: "<b>", count: 30_000), limits: limits) == .tooLong)
        #expect(Self.error("<a>" + Self.deep + "</b>", limits: limits) == .wrongEndTag)
        #expect(Self.error("<a>" + Self.deep + "<!-- -->", limits: limits) == .comment)
    }

    @Test("after an error nothing more comes")
    func afterAnErrorNothingMoreComes() {
        var reader = XMLReader()
        reader.append(Array((Self.root + "<a></b><c/>").utf8))
        var events: [XMLReader.Event] = []
        while let event = reader.next() { events.append(event) }
        reader.append(Array(Self.root.utf8))
        reader.restart()
        #expect(reader.next() == nil && reader.hasFailed)
        #expect(events.count == 2)
    }

    @Test("what is written reads back the same, with every character that XML can carry")
    func whatIsWrittenReadsBackTheSame() {
        let odd = "<>&'\"\r\n\t ]]> \u{1F600} é \u{7F}"
        let child = XMLElement("c", namespace: "", attributes: [XMLAttribute("d", odd, namespace: "urn:x")], text: odd)
        let attributes = [
            XMLAttribute("b", odd), XMLAttribute("lang", "de", namespace: "http://www.w3.org/XML/1998/namespace"),
        ]
        let element = XMLElement("a", namespace: "u&v", attributes: attributes, children: [child], text: odd)
        #expect(Self.elements(element.text(inside: "jabber:client")) == [element])
        #expect(XMLElement.escaped("a\u{0}b\u{FFFE}") == "a\u{FFFD}b\u{FFFD}")
    }
}

import Foundation
import PhoneLink
import PhoneProtocol
import Testing

@Suite("Reading XML as expat does", .enabled(if: Python.isAvailable, "python3 with expat is needed"))
struct ExpatTests {
    /// One document in hexadecimal a line; answers with a line each: `null`, or what the stanzas are.
    private static let program = """
        import sys, json
        from xml.parsers import expat
        class No(Exception): pass
        def refuse(*a): raise No()
        def split(name):
            ns, _, local = name.rpartition('\\x1f')
            return [ns, local]
        def read(data):
            p = expat.ParserCreate(encoding='UTF-8', namespace_separator='\\x1f')
            p.buffer_text = True
            stack, done = [], []
            def start(name, attributes):
                e = split(name) + [[], [], '']
                for i in range(0, len(attributes), 2):
                    e[2].append(split(attributes[i]) + [attributes[i + 1]])
                stack.append(e)
            def end(name):
                e = stack.pop()
                if len(stack) == 1: done.append(e)
                elif stack: stack[-1][3].append(e)
            def text(t):
                if len(stack) > 1: stack[-1][4] += t
                elif t.strip(' \\t\\r\\n'): raise No()
            def section():
                if len(stack) < 2: raise No()
            p.ordered_attributes = True
            p.StartElementHandler, p.EndElementHandler, p.CharacterDataHandler = start, end, text
            p.StartCdataSectionHandler = section
            p.CommentHandler = p.ProcessingInstructionHandler = p.StartDoctypeDeclHandler = refuse
            p.Parse(data, True)
            return done
        for line in sys.stdin.read().split('\\n')[:-1]:
            try: print(json.dumps(read(bytes.fromhex(line))))
            except (No, expat.ExpatError, ValueError): print('null')
        """

    @Test("generated documents, whole and damaged, are read or refused alike", arguments: [1, 2, 3])
    func generatedDocuments(seed: UInt64) throws {
        var random = Generator(state: seed)
        var documents: [[UInt8]] = []
        for _ in 0..<400 {
            let document = Array(random.document().utf8)
            documents.append(document)
            for _ in 0..<6 { documents.append(random.damaged(document)) }
        }
        let input = documents.map { $0.map { Self.hexadecimal($0) }.joined() + "\n" }.joined()
        let output = try Python.run(Self.program, input: input)
        let lines = output.split(separator: "\n")
        try #require(lines.count == documents.count)
        var accepted = 0
        for (document, line) in zip(documents, lines) {
            let theirs = try JSON(parsing: String(line))
            let ours = Self.read(document)
            if ours != .null { accepted += 1 }
            if ours != theirs {
                Issue.record("\(String(decoding: document, as: UTF8.self)): \(ours.text) and \(theirs.text)")
            }
        }
        #expect(accepted >= 400 && accepted < documents.count)
    }

    private static func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    private static func read(_ document: [UInt8]) -> JSON {
        let events = XMLReaderTests.events([document])
        guard events.last == .closed else { return .null }
        var stanzas: [JSON] = []
        for case .element(let element) in events { stanzas.append(json(element)) }
        return .array(stanzas)
    }

    private static func json(_ element: XMLElement) -> JSON {
        .array([
            .string(element.namespace), .string(element.name),
            .array(element.attributes.map { .array([.string($0.namespace), .string($0.name), .string($0.value)]) }),
            .array(element.children.map(json)), .string(element.text),
        ])
    }

    private struct Generator {
        var state: UInt64

        mutating func below(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }

        mutating func one(_ choices: [String]) -> String { choices[below(choices.count)] }

        mutating func document() -> String {
            let stanzas = (0..<below(4)).map { _ in element(depth: 0) + one(["", " ", "\n\t"]) }
            let root = one(["s:stream", "stream"])
            return "<\(root) xmlns:s='http://etherx.jabber.org/streams' xmlns='jabber:client' xmlns:p=\"urn:p\">"
                + stanzas.joined() + "</\(root)>"
        }

        mutating func element(depth: Int) -> String {
            let name = one(["a", "message", "p:gcm", "b-1.x", "_é", "q:z", "xml:y"])
            var tag = "<" + name
            if name.hasPrefix("q:") || below(5) == 0 { tag += one([" xmlns:q='urn:q'", " xmlns:q = \"urn:p\"\n"]) }
            if below(5) == 0 { tag += one([" xmlns='urn:d'", " xmlns=''", " xmlns=\"jabber:client\""]) }
            for _ in 0..<below(3) { tag += " " + one(["id", "p:id", "xml:lang", "to", "type"]) + "=" + value() }
            if below(4) == 0 { return tag + one(["/>", " />"]) }
            var content = ""
            for _ in 0..<below(4) {
                content += below(3) == 0 && depth < 5 ? element(depth: depth + 1) : text()
            }
            return tag + ">" + content + "</\(name)" + one([">", " >", "\n>"])
        }

        mutating func value() -> String {
            let quote = one(["'", "\""])
            let inner = quote == "'" ? "\"" : "'"
            return quote + one(["", "x", "a\tb\r\nc", "&lt;&amp;", "&#x41;&#9;", inner, "é😀", ">"]) + quote
        }

        mutating func text() -> String {
            one([
                "x", " ", "\r\n", "\r", "&lt;&gt;&amp;&quot;&apos;", "&#65;&#x1F600;&#13;", "<![CDATA[<&]]]>]]>",
                "<![CDATA[]]>", "{\"a\":\"b\"}", "é ü 😀", "]]", ">", "\u{7F}\u{85}\u{2028}",
            ])
        }

        mutating func damaged(_ document: [UInt8]) -> [UInt8] {
            var bytes = document
            let odd: [UInt8] = Array("<>&;'\"/:=!?-[] x\r\n#".utf8) + [0, 0x80, 0xC3, 0xED, 0xF4, 0xFF]
            for _ in 0...below(2) {
                let place = below(bytes.count)
                switch below(4) {
                case 0: bytes[place] = odd[below(odd.count)]
                case 1: bytes.insert(odd[below(odd.count)], at: place)
                case 2: bytes.remove(at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + below(12)))
                }
            }
            return bytes
        }
    }
}

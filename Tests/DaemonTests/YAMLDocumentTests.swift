import Testing
import YAMLConfiguration

@Suite struct YAMLDocumentTests {
    private func problem(_ text: String, _ limits: YAMLDocument.Limits = .init()) -> String? {
        do throws(YAMLProblem) {
            _ = try YAMLDocument.parse(Array(text.utf8), limits: limits)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("every value knows its line and column, counted in characters from 1")
    func everyValueKnowsItsLineAndColumn() throws {
        let root = try YAMLDocument.parse(Array("ä: x\nb:\n  - 'ü': \"1\"\n  - 2\n".utf8)).root
        guard case .mapping(let entries) = root.content, entries.count == 2,
            case .sequence(let items) = entries[1].value.content, items.count == 2,
            case .mapping(let inner) = items[0].content, let pair = inner.first
        else {
            Issue.record("the tree has another shape: \(root)")
            return
        }
        #expect(entries[0].keyMark == YAMLMark(line: 1, column: 1))
        #expect(
            entries[0].value
                == YAMLNode(mark: YAMLMark(line: 1, column: 4), content: .scalar("x", .plain), extent: 3..<4))
        #expect(pair.key == "ü" && pair.keyMark == YAMLMark(line: 3, column: 5))
        #expect(
            pair.value == YAMLNode(mark: YAMLMark(line: 3, column: 10), content: .scalar("1", .quoted), extent: 17..<20)
        )
        #expect(
            items[1] == YAMLNode(mark: YAMLMark(line: 4, column: 5), content: .scalar("2", .plain), extent: 25..<26))
    }

    @Test("an empty file and a file of comments are null", arguments: ["", "# nothing\n", "---\n", "\n\n", "~"])
    func anEmptyFileAndAFileOfCommentsAreNull(text: String) throws {
        #expect(try YAMLDocument.parse(Array(text.utf8)).root.isNull)
    }

    @Test("a quoted null is a text")
    func aQuotedNullIsAText() throws {
        #expect(try YAMLDocument.parse(Array("'null'".utf8)).root.isNull == false)
    }

    @Test(
        "what a configuration does not need is refused where it stands",
        arguments: [
            ("a: &x 1", "1:4: an anchor"), ("a: 1\nb: *x", "2:4: an alias"), ("a: !secret x", "1:4: a tag"),
            ("a: &x {b: 1}", "1:4: an anchor"), ("a: !t [1]", "1:4: a tag"),
            ("a: 1\n---\nb: 2", "2:1: a second document"), ("? {a: 1}\n: 2", "1:3: a list or mapping stands where"),
            ("? [a]\n: 2", "1:3: a list or mapping stands where"),
        ])
    func whatAConfigurationDoesNotNeedIsRefusedWhereItStands(text: String, begins: String) {
        #expect(problem(text)?.hasPrefix(begins) == true, "\(problem(text) ?? "no problem")")
    }

    @Test("an error of the language has its place and a hint")
    func anErrorOfTheLanguageHasItsPlaceAndAHint() {
        #expect(problem("a:\n\tb: 1")?.hasPrefix("2:1: not valid YAML") == true)
        #expect(problem("a:\n\tb: 1")?.contains("YAML does not indent with tabs") == true)
        #expect(problem("a: @x")?.contains("quotes around a value that begins with '@'") == true)
        #expect(problem("a: 'x")?.hasPrefix("1:6: not valid YAML") == true)
        #expect(problem("a: {b: 1")?.contains("not valid YAML") == true)
    }

    @Test(
        "what an editor wrote instead of a space or a quote is named where it stands",
        arguments: [
            (
                "panel:\n\u{A0}\u{A0}host: a\n  password: 'b'\n",
                "2:1: not valid YAML, and a no-break space (U+00A0) is here"
            ),
            ("a: 1\nb:\u{A0}2\n", "2:3: not valid YAML, and a no-break space (U+00A0) is here"),
            // A comment is not read.
            ("# \u{201C}x\u{201D}\na:\n\tb: 1", "3:1: not valid YAML: found character"),
        ])
    func whatAnEditorWroteIsNamedWhereItStands(text: String, begins: String) {
        #expect(problem(text)?.hasPrefix(begins) == true, "\(problem(text) ?? "no problem")")
    }

    @Test("text that is not UTF-8 is refused with its line and column")
    func textThatIsNotUTF8IsRefusedWithItsLineAndColumn() {
        let bytes: [UInt8] = Array("a: 1\nbä: ".utf8) + [0xFF, 0x0A]
        #expect {
            _ = try YAMLDocument.parse(bytes)
        } throws: {
            ($0 as? YAMLProblem)?.mark == YAMLMark(line: 2, column: 5)
        }
        #expect(problem("a: \u{7}")?.hasPrefix("1:4: the text cannot be read") == true)
    }

    @Test("size, depth and number of values are bounded")
    func sizeDepthAndNumberOfValuesAreBounded() {
        var limits = YAMLDocument.Limits()
        limits.bytes = 10
        limits.nodes = 5
        #expect(problem("a: 123456", limits) == nil)
        #expect(problem("a: 123456789", limits)?.contains("at most 10 bytes") == true)
        #expect(problem("[1,2,3,4]", limits) == nil)
        #expect(problem("[1,2,3,,]", limits) != nil)
        #expect(problem("[1,2,3,4,]", limits) == nil)
        limits.bytes = 100
        #expect(problem("[1,2,3,4,5]", limits)?.hasPrefix("1:10: the file holds too many values") == true)
        let deep = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(problem(deep(32)) == nil)
        #expect(problem(deep(33))?.hasPrefix("1:33: values are nested too deeply") == true)
        #expect(problem(String(repeating: "[", count: 1 << 20))?.contains("nested too deeply") == true)
        #expect(problem(String(repeating: "- 1\n", count: 200_000))?.contains("too many values") == true)
    }

    @Test("no problem repeats what the file says")
    func noProblemRepeatsWhatTheFileSays() {
        let secret = "hunter2"
        for text in [
            "p: *\(secret)", "p: &\(secret) 1", "p: !\(secret) 1", "p: '\(secret)", "p: @\(secret)", "p: {\(secret)",
            "p: \(secret): x", "p: \"\\q\(secret)\"", "p: |\(secret)", "p:\n\t\(secret)", "%\(secret)\n---\n",
        ] {
            let words = problem(text)
            #expect(words != nil && words?.contains(secret) == false, "\(text)")
        }
    }
}

import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("A mail's bytes") struct MailMessageTests {
    private func message(_ title: String, _ text: String, id: String = "1a2b3c4d-7") -> MailMessage {
        MailMessage(
            from: "box@house.test", to: "ann@example.test", id: MessageID(id),
            notice: Notice(
                title: title, text: text, subject: .otherAlarm, time: WallTime(milliseconds: 1_795_262_400_000)),
            isAlarm: true)
    }

    @Test("a plain message")
    func aPlainMessage() {
        let text = String(decoding: message("Alarm: Study PIR", "Burglary.\n.dot\nEnd").wire, as: UTF8.self)
        let expected = """
            Date: Sat, 21 Nov 2026 12:00:00 +0000
            From: HowAlarming <box@house.test>
            To: <ann@example.test>
            Message-ID: <1a2b3c4d-7@house.test>
            Subject: Alarm: Study PIR
            Auto-Submitted: auto-generated
            Importance: high
            X-Priority: 1
            MIME-Version: 1.0
            Content-Type: text/plain; charset=utf-8
            Content-Transfer-Encoding: quoted-printable

            Burglary.
            ..dot
            End
            .

            """
        #expect(text == expected.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n"))
    }

    @Test("Python's mail reader reads words and a file behind them as they were", arguments: [0, 1, 56, 57, 58, 4_000])
    func pythonsMailReaderReadsAFileBehindTheWords(_ count: Int) throws {
        var mail = message("Bild: Garage", "Bild: Garage = 1 --=_part\nEnde")
        mail.attachment = .init(
            name: "2026-11-27 Garage.jpg", contentType: "image/jpeg", bytes: (0..<count).map { UInt8($0 * 7 & 0xFF) })
        let script = """
            import sys, json, email, email.policy
            raw = bytes.fromhex(sys.stdin.read())
            assert max(map(len, raw.split(b'\\r\\n'))) <= 78
            assert b'\\n' not in raw.replace(b'\\r\\n', b'')
            m = email.message_from_bytes(raw, policy=email.policy.default)
            words, picture = m.iter_parts()
            assert not m.defects and not words.defects and not picture.defects
            json.dump([m['subject'], words.get_content().replace('\\r\\n', '\\n'), picture.get_filename(),
                       picture.get_content_type(), picture.get_content().hex()], sys.stdout)
            """
        let printed = try Python.run(script, input: Hex.encode(mail.bytes))
        let read = try JSON(parsing: printed)
        #expect(
            read
                == .array(
                    [
                        "Bild: Garage", "Bild: Garage = 1 --=_part\nEnde\n", "2026-11-27 Garage.jpg", "image/jpeg",
                        Hex.encode(mail.attachment?.bytes ?? []),
                    ].map { .string($0) }))
    }

    @Test("Python's mail reader reads every title and text as they were")
    func pythonsMailReaderReadsEveryTitleAndTextAsTheyWere() throws {
        let texts = [
            "", " ", "plain", "Küche: Fenster offen – Türe zu", "日本語の長い件名がここにあります。とても長いので折り返されます。もっと長く。",
            "=?utf-8?B?eA==?=", "a = b", "ends in a space ", "tab\tinside", "line\nline\r\nline\rline\n", ".\n..\n.",
            String(repeating: "x", count: 200), String(repeating: "word ", count: 60),
            String(repeating: "ä=", count: 100), "😀" + String(repeating: "é😀", count: 60), "From here on",
        ]
        let script = """
            import sys, json, email, email.policy
            out = []
            for hexed in json.load(sys.stdin):
                raw = bytes.fromhex(hexed)
                lines = raw.split(b'\\r\\n')
                assert max(map(len, lines)) <= 78, raw
                assert max([len(line) for line in lines if b'=?utf-8' in line], default=0) <= 76, raw
                assert b'\\n' not in raw.replace(b'\\r\\n', b'') and b'\\r' not in raw.replace(b'\\r\\n', b'')
                m = email.message_from_bytes(raw, policy=email.policy.default)
                assert not m.defects, m.defects
                out.append([m['subject'], m.get_content().replace('\\r\\n', '\\n')])
            json.dump(out, sys.stdout)
            """
        let hexed = texts.map { text in
            message(text, text).bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        let answer = try JSON(
            parsing: try Python.run(script, input: JSON.array(hexed.map { .string($0) }).text))
        for (text, pair) in zip(texts, answer.arrayValue ?? []) {
            let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let subject = pair.arrayValue?.first?.stringValue?.split(separator: " ").joined(separator: " ")
            #expect(subject == words)
            var body = pair.arrayValue?.last?.stringValue ?? ""
            if body.hasSuffix("\n") { body.removeLast() }
            var expected = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
            if expected.hasSuffix("\n") { expected.removeLast() }
            #expect(body == expected)
        }
        #expect(answer.arrayValue?.count == texts.count)
    }

    @Test("nothing in a title, an id or an address can begin a header or a command")
    func nothingInATitle() {
        for odd in ["x\r\nBcc: all@example.test", "x\n\nbody", "x\u{2028}Bcc: y", "x\0y", "\u{85}Bcc: y"] {
            let bytes = message(odd, "text", id: "a>\r\nX: \(odd)").bytes
            let head = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n\r\n")[0]
            let names = head.split(separator: "\r\n").filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
            #expect(names.count == 11 && !names.contains("Bcc") && !names.contains("X"))
        }
        let good = ["a@b", "Ann.O'Hara+x@mail.example.test", "a_b@1.2"]
        let bad = [
            "", "a", "@b", "a@", "a b@c", "a@b c", "a@b>", "<a@b", "a@b\r\n", "ä@b", "a@bü", ".a@b", "a.@b", "a@.b",
            "a@b.",
            "a@b@c", "\"a\"@b", "a@[1.2.3.4]", String(repeating: "a", count: 65) + "@b", "a,b@c",
        ]
        #expect(good.allSatisfy(MailAddress.isValid))
        #expect(bad.filter(MailAddress.isValid) == [])
    }
}

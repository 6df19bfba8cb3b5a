import AlarmModel
import ApplianceCore
import PhoneProtocol
import Platform
import Testing

@testable import Reports
@testable import Subcommands

@Suite struct PairingScreenTests {
    private static let code = Secret("HA2:" + String(repeating: "ABCDE23456", count: 10))
    private static let size = Terminal.Size(columns: 80, rows: 24)

    private func ready(picture: [String] = [], problem: String? = nil) -> PairingScreen {
        var screen = PairingScreen(person: "Anna")
        screen.note(.ready(validFor: .minutes(10), roles: [.view, .arm]), code: Self.code)
        screen.picture = picture
        screen.pictureProblem = problem
        return screen
    }

    private func picture(_ columns: Int, _ rows: Int) -> [String] {
        Array(repeating: String(repeating: "█", count: columns), count: rows)
    }

    @Test(
        "the largest codes fit 80 by 24 with their picture, and the whole code stands beside it", arguments: [41, 45])
    func theLargestCodesFit80By24WithTheirPicture(columns: Int) {
        let rows = columns == 41 ? 21 : 23
        let lines = ready(picture: picture(columns, rows)).lines(size: Self.size, painted: false)
        #expect(lines.count <= 24)
        for line in lines { #expect(line.count <= 80, "\(line)") }
        #expect(lines.prefix(rows).allSatisfy { $0.hasPrefix(String(repeating: "█", count: columns)) })
        let words = lines.map { $0.drop { $0 == "█" || $0 == " " } }
        let shown = words.joined().filter { $0 != "-" }
        #expect(shown.contains(Self.code.revealed))
        #expect(words.contains("It is valid 10 minutes, for one"))
    }

    @Test("without room or without qrencode the code alone is shown, and why")
    func withoutRoomOrWithoutQrencodeTheCodeAloneIsShown() {
        let missing = ready(problem: "There is no picture: install qrencode.").lines(size: Self.size)
        #expect(
            missing == [
                "A new phone for Anna", "It may view, arm.", "", "Type this code into the app:",
                "HA2:A-BCDE2-3456A-BCDE2-3456A-BCDE2-3456A-BCDE2-3456A-BCDE2-3456A-BCDE2-3456A-",
                "BCDE2-3456A-BCDE2-3456A-BCDE2-3456A-BCDE2-3456",
                "", "It is valid 10 minutes, for one phone.", "",
                "Waiting for the phone. Ctrl-C ends this.", "", "There is no picture: install qrencode.",
            ])
        for size in [Terminal.Size(columns: 60, rows: 24), Terminal.Size(columns: 80, rows: 20)] {
            let lines = ready(picture: picture(41, 21)).lines(size: size)
            #expect(lines.contains { $0.hasPrefix("There is no room for the picture") })
            #expect(!lines.contains { $0.contains("█") })
            #expect(lines.joined().filter { $0 != "-" }.contains(Self.code.revealed))
        }
        #expect(ready().lines(size: Terminal.Size(columns: 20, rows: 3)).count == 3)
    }

    @Test("the screen of one-time codes has the picture, the key to type, and the digits, in 80 by 24")
    func theScreenOfOneTimeCodesHasThePicture() {
        let key = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
        let uri = Secret("otpauth://totp/HowAlarming:Anna?secret=\(key)&issuer=HowAlarming")
        var screen = PairingScreen(person: "Anna")
        screen.isCodes = true
        screen.note(.codesReady(validFor: .minutes(10)), code: uri)
        #expect(screen.isAwaitingDigits)
        screen.picture = picture(45, 23)
        screen.typed = "12"
        let lines = screen.lines(size: Self.size, painted: false)
        #expect(lines.count <= 24 && lines.allSatisfy { $0.count <= 80 })
        let words = lines.map { $0.drop { $0 == "█" || $0 == " " } }
        #expect(words.joined(separator: " ").filter { $0 != " " }.contains(key))
        #expect(words.contains("Digits: 12____"))
        screen.picture = []
        screen.pictureProblem = "There is no picture: install qrencode."
        let plain = screen.lines(size: Self.size)
        #expect(plain.joined().contains(uri.revealed))
        screen.note(.codesOn(person: "Anna"))
        #expect(!screen.lines(size: Self.size).joined().contains("ABCD"))
        #expect(PairingText.key(of: uri) == "ABCD EFGH IJKL MNOP QRST UVWX YZ23 4567")
    }

    private static let app = "https://alarm.example.org/howalarming/app/"

    private func linked(_ result: QRPicture.Result, app: String = app) -> PairingScreen {
        var screen = PairingScreen(person: "Anna")
        let roles: Roles = [.view, .arm, .disarm, .bypass, .panic, .admin]
        screen.note(.ready(validFor: .minutes(10), app: app, roles: roles), code: Self.code)
        screen.drawn(result)
        return screen
    }

    @Test("with an app the picture is a link that opens it, and the address and the code stand beside it")
    func withAnAppThePictureIsALinkThatOpensIt() {
        let screen = linked(.link(picture(45, 23)))
        #expect(screen.link?.revealed == Self.app + "#" + Self.code.revealed)
        let lines = screen.lines(size: Self.size, painted: false)
        #expect(lines.count <= 24 && lines.allSatisfy { $0.count <= 80 })
        let words = lines.map { String($0.drop { $0 == "█" || $0 == " " }) }
        #expect(words.joined(separator: " ").contains("Scan this with the phone's camera: it opens the app."))
        #expect(words.joined().contains(Self.app))
        #expect(words.joined().filter { $0 != "-" }.contains(Self.code.revealed))
        #expect(words.contains { $0.hasSuffix("ends this.") })
        #expect(ready().link == nil)
    }

    @Test("with an address that is too long the picture is the code, and without one both are told; all of it fits")
    func withAnAddressThatIsTooLongThePictureIsTheCode() {
        let long = "https://" + String(repeating: "a-long-name.", count: 16) + "x.org/"
        for (result, says) in [
            (QRPicture.Result.rows(picture(41, 21)), "its address is too long for the picture"),
            (.none("There is no picture: install qrencode."), "Open the app on the phone:"),
        ] {
            let lines = linked(result, app: long).lines(size: Self.size, painted: false)
            #expect(lines.count <= 24 && lines.allSatisfy { $0.count <= 80 })
            let words = lines.map { String($0.drop { $0 == "█" || $0 == " " }) }
            #expect(words.joined(separator: " ").contains(says))
            #expect(words.joined().contains(long))
            #expect(words.joined().filter { $0 != "-" }.contains(Self.code.revealed))
            #expect(words.joined(separator: " ").contains("ends this."))
        }
    }

    @Test("the link is drawn where a screen of 80 by 24 holds it, if need be with half the light border; else the code")
    func theLinkIsDrawnWhereAScreenHoldsIt() {
        let link = Secret("https://a.example/#HA2:A")
        for (dots, margin) in [(37, 4), (41, 2), (45, nil), (57, nil)] {
            var drawn: [Int] = []
            let result = QRPicture.draw(link: link, code: Self.code) { text, margin in
                drawn.append(margin)
                let size = (text == link ? dots : 33) + 2 * margin
                return .rows(picture(size, (size + 1) / 2))
            }
            if let margin {
                #expect(result == .link(picture(dots + 2 * margin, 23)))
            } else {
                #expect(result == .rows(picture(41, 21)) && drawn == [4, 2, 4])
            }
        }
        #expect(QRPicture.draw(link: nil, code: Self.code) { _, _ in .rows(["█"]) } == .rows(["█"]))
        #expect(QRPicture.draw(link: link, code: Self.code) { _, _ in .none("no") } == .none("no"))
    }

    @Test("the picture is light on dark whatever the terminal's colours are")
    func thePictureIsLightOnDarkWhateverTheTerminalsColoursAre() {
        let lines = ready(picture: picture(41, 21)).lines(size: Self.size)
        #expect(lines.prefix(21).allSatisfy { $0.hasPrefix("\u{1B}[97;40m") && $0.contains("\u{1B}[0m") })
    }

    @Test("once a phone was heard the code is gone, and the digits are asked for with what was wrong before")
    func onceAPhoneWasHeardTheCodeIsGone() {
        var screen = ready(picture: picture(41, 21))
        screen.note(.heard(phone: "Pixel\u{1B} 8"))
        screen.typed = "12"
        #expect(screen.isAwaitingDigits && screen.code == nil)
        #expect(
            screen.lines(size: Self.size) == [
                "The phone 'Pixel? 8' has used the code, for Anna.",
                "Is it the phone in your hand? Then type the six digits that it shows, and Enter.", "",
                "Digits: 12____", "", "If it shows none, or is not yours: Ctrl-C ends this.",
            ])
        screen.note(.wrongCode(triesLeft: 2))
        #expect(
            screen.lines(size: Self.size).contains("these are not the digits that the phone shows; 2 tries left"))
        screen.note(.wrongCode(triesLeft: 1))
        #expect(screen.lines(size: Self.size).contains { $0.hasSuffix("; 1 try left") })
    }

    @Test("a passkey's page is shown in full before the digits can be typed")
    func aPasskeysPageIsShownInFullBeforeTheDigitsCanBeTyped() throws {
        let place = try #require(PasskeyPlace(relyingParty: "example.org", origin: "https://alarm.example.org:8443"))
        var screen = ready(picture: picture(41, 21))
        screen.note(.heard(phone: "Firefox", passkey: place))
        #expect(
            screen.lines(size: Self.size) == [
                "The phone 'Firefox' has used the code, for Anna.", "It disarms with a passkey of this page:",
                "  https://alarm.example.org:8443", "  RP ID example.org",
                "Is that exactly the page that you opened there? Else Ctrl-C ends this.",
                "Is it the phone in your hand? Then type the six digits that it shows, and Enter.", "",
                "Digits: ______", "", "If it shows none, or is not yours: Ctrl-C ends this.",
            ])
        let narrow = screen.lines(size: Terminal.Size(columns: 20, rows: 24)).joined()
        #expect(narrow.contains(place.origin) && narrow.contains("RP ID example.org"))
        #expect(
            PairingText.line(.heard(phone: "Firefox", passkey: place))
                == "the phone 'Firefox' has used the code, with a passkey of https://alarm.example.org:8443 (RP ID "
                + "example.org): if that is the page that you opened, type the six digits that it shows, here or with "
                + "'howalarming phones confirm'")
    }

    @Test("the end says who was paired and how to try it, or why nobody was and what to do")
    func theEndSaysWhoWasPairedAndHowToTryIt() {
        #expect(
            PairingText.line(.paired(phone: "0123456789abcdef", name: "Pixel 8"))
                == "paired: 'Pixel 8', 0123456789abcdef; try it with 'howalarming phones test 0123456789abcdef'")
        #expect(
            PairingText.line(.ended(why: "three wrong codes"))
                == "no phone was paired: three wrong codes; begin again with 'howalarming phones pair'")
        var screen = ready(picture: picture(41, 21))
        screen.note(.ended(why: "cancelled"))
        #expect(screen.code == nil && screen.picture.isEmpty)
    }

    @Test("keys become six digits; a rubout, blanks and an early Enter do no harm; Ctrl-C and Ctrl-D end it")
    func keysBecomeSixDigits() {
        func events(_ text: String) -> [PairingInput.Event] {
            var input = PairingInput()
            return text.utf8.compactMap { input.take($0) }
        }
        #expect(events("123456\n") == [.digits(Secret("123456"))])
        #expect(events("12 3-45x\u{7F}567\r") == [.digits(Secret("123456"))])
        #expect(events("12345678\n") == [.digits(Secret("123456"))])
        #expect(events("123\n\n654321\n") == [.incomplete, .digits(Secret("654321"))])
        #expect(events("99\u{15}123456\n") == [.digits(Secret("123456"))])
        #expect(events("1\u{3}") == [.givenUp])
        #expect(events("\u{4}") == [.givenUp])
        var input = PairingInput()
        for byte in "123456".utf8 { _ = input.take(byte) }
        #expect(input.enter() == .digits(Secret("123456")))
        #expect(input.enter() == nil)
    }

    @Test("the code is taken out of the reply's line, and the reply is read without it")
    func theCodeIsTakenOutOfTheReplysLine() throws {
        let progress = ControlReply.pairing(.ready(validFor: .minutes(10)))
        guard case .object(let members) = try JSON.encoding(progress) else { return #expect(Bool(false)) }
        let line = JSON.object(members + [.init(key: "code", value: .string("HA2:AB"))])
        let (reply, code) = PairingText.split(line)
        #expect(code == Secret("HA2:AB"))
        #expect(!reply.text.contains("HA2:"))
        #expect(try DaemonLink.reply(reply) == progress)
        #expect(PairingText.split(.object(members)).code == nil)
    }
}

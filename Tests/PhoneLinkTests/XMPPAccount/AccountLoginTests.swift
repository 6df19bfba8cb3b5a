import AlarmModel
import Foundation
import PhoneLink
import PhoneProtocol
import Testing

@Suite("Login at an XMPP server")
struct AccountLoginTests {
    static let scram: [String] = [
        Account.header + Account.startTLS, Account.proceed,
        Account.header + Account.mechanisms(["PLAIN", "SCRAM-SHA-1"]), Account.sasl("challenge", Account.challenge),
        Account.sasl("success", "v=\(Account.signature)"), Account.header + Account.features, Account.bound,
        Account.enabled,
    ]

    private static func bench() -> AccountBench {
        AccountBench {
            $0.isDirectTLS = false
            $0.usesChannelBinding = false
        }
    }

    @Test("STARTTLS, then the login of RFC 5802 with its own numbers, then a managed session and presence")
    func starttlsThenTheLoginOfRFC5802WithItsOwnNumbersThenAManaged() throws {
        var bench = Self.bench()
        bench.start()
        #expect(bench.take().targets == [DialTarget(host: "example.com", port: 5222, security: .plain)])
        bench.connect(Self.scram)
        let sent = bench.actions.sent
        #expect(bench.channel.health.phase == .ready && bench.actions.contains(.ready))
        #expect(bench.jobs.first == .random(18))
        #expect(
            bench.jobs.last
                == .scram(
                    .sha1, password: Secret("pencil"), salt: bytes(base64: "QSXCR+Q6sek8bf92"), rounds: 4096,
                    authMessage: Array(Account.authMessage.utf8)))
        let first = Data("n,,n=user,r=\(Account.nonce)".utf8).base64EncodedString()
        let last = Data("c=biws,r=\(Account.nonce)3rfcNHYJY1ZVvWVs7j,p=\(Account.proof)".utf8).base64EncodedString()
        #expect(sent.contains("mechanism=\"SCRAM-SHA-1\">\(first)</auth>"))
        #expect(sent.contains(">\(last)</response>"))
        #expect(sent.contains("<enable xmlns=\"urn:xmpp:sm:3\" resume=\"true\"/>"))
        #expect(sent.contains("<presence><status>starting</status></presence>"))
        #expect(!"\(bench.actions)".contains("pencil"))
    }

    @Test("a recorded login cut anywhere, or in single bytes, has the same effects")
    func aRecordedLoginCutAnywhere() {
        func play(_ pieces: [[UInt8]]) -> [TransportAction] {
            var bench = Self.bench()
            bench.start()
            bench.connect()
            for piece in pieces { bench.hear(piece) }
            return bench.actions
        }
        let steps = Self.scram.map { Array($0.utf8) }
        let whole = play(steps)
        #expect(whole.contains(.ready))
        for (number, step) in steps.enumerated() {
            for place in 1..<step.count {
                var pieces = steps
                pieces.replaceSubrange(number...number, with: [Array(step[..<place]), Array(step[place...])])
                #expect(play(pieces) == whole, "\(number), \(place)")
            }
        }
        #expect(play(steps.flatMap { $0.map { [$0] } }) == whole)
    }

    @Test("no damaged byte of a login makes a trap, and the account goes on for ever")
    func noDamagedByteOfALoginMakesATrap() {
        let steps = Self.scram.map { Array($0.utf8) }
        for (number, step) in steps.enumerated() {
            for place in step.indices {
                var pieces = steps
                pieces[number][place] ^= place.isMultiple(of: 2) ? 0x20 : 0x03
                var bench = Self.bench()
                bench.start()
                bench.connect()
                for piece in pieces { bench.hear(piece) }
                #expect(bench.channel.nextDeadline != nil, "\(number), \(place)")
            }
        }
    }

    private func firstMessage(_ mechanisms: [String], bindings: [String]? = nil, binding: [UInt8]?) -> (String, String)
    {
        var bench = AccountBench()
        bench.binding = binding
        bench.start()
        bench.connect([Account.header + Account.mechanisms(mechanisms, bindings: bindings)])
        let sent = bench.actions.sent
        let parts = sent.split(separator: "mechanism=\"").last?.split(separator: "\"")
        let text = sent.split(separator: "</auth>").first?.split(separator: ">").last.map(String.init) ?? ""
        return (parts?.first.map(String.init) ?? "", String(decoding: bytes(base64: text), as: UTF8.self))
    }

    @Test("the strongest login is chosen, bound to the channel where both sides can, and the flag tells a downgrade")
    func theStrongestLoginIsChosen() {
        let all = ["PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"]
        let channel: [UInt8] = [7, 7, 7, 7]
        let bound = firstMessage(all, bindings: ["tls-exporter"], binding: channel)
        #expect(bound.0 == "SCRAM-SHA-256-PLUS" && bound.1.hasPrefix("p=tls-exporter,,n=user,r="))
        #expect(firstMessage(all, binding: channel).0 == "SCRAM-SHA-256-PLUS")
        let old = firstMessage(all, binding: nil)
        #expect(old.0 == "SCRAM-SHA-256" && old.1.hasPrefix("n,,n=user"))
        let otherKind = firstMessage(all, bindings: ["tls-unique"], binding: channel)
        #expect(otherKind.0 == "SCRAM-SHA-256" && otherKind.1.hasPrefix("n,,"))
        // Somebody between may have taken the offer away: the server will see that we could.
        let less = firstMessage(["PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-256"], binding: channel)
        #expect(less.0 == "SCRAM-SHA-256" && less.1.hasPrefix("y,,"))
        #expect(firstMessage(["SCRAM-SHA-1-PLUS", "SCRAM-SHA-256"], binding: channel).0 == "SCRAM-SHA-1-PLUS")
        let plain = firstMessage(["PLAIN", "SCRAM-SHA-512"], binding: nil)
        #expect(plain.0 == "PLAIN" && plain.1 == "\0user\0pencil")
    }

    private func problem(_ steps: [String], isDirect: Bool = true) -> (words: String, sent: String, bench: AccountBench)
    {
        var bench = AccountBench {
            $0.isDirectTLS = isDirect
            $0.usesChannelBinding = false
        }
        bench.start()
        bench.connect(steps)
        return (bench.actions.problemWords.last ?? "", bench.actions.sent, bench)
    }

    @Test("a server that cannot prove itself is not believed, and is tried again only after minutes")
    func aServerThatCannotProveItselfIsNotBelieved() {
        let start = Account.header + Account.mechanisms(["SCRAM-SHA-1"])
        let challenge = Account.sasl("challenge", Account.challenge)
        let lies: [[String]] = [
            [start, Account.sasl("challenge", "r=other,s=QSXCR+Q6sek8bf92,i=4096")],
            [start, Account.sasl("challenge", "r=\(Account.nonce),s=QSXCR+Q6sek8bf92,i=4096")],
            [start, Account.sasl("challenge", "r=\(Account.nonce)x,s=QSXCR+Q6sek8bf92,i=1")],
            [start, Account.sasl("challenge", "r=\(Account.nonce)x,s=QSXCR+Q6sek8bf92,i=999999999")],
            [start, Account.sasl("challenge", "r=\(Account.nonce)x,s=,i=4096")],
            [start, Account.sasl("challenge", "m=new,r=\(Account.nonce)x,s=QSXCR+Q6sek8bf92,i=4096")],
            [start, challenge, Account.sasl("success", "v=\(Account.proof)")],
            [start, challenge, Account.success], [start, Account.success],
        ]
        for lie in lies {
            let (words, sent, bench) = problem(lie)
            #expect(words.contains("may not be the account's"), "\(lie)")
            #expect(!sent.contains("<iq") && bench.channel.health.problem?.isRefusal == true)
        }
        // In a challenge of its own, as RFC 5802 had it first.
        let proof = Account.sasl("challenge", "v=\(Account.signature)")
        #expect(problem([start, challenge, proof, Account.success, Account.header + Account.features]).words == "")
    }

    @Test("without encryption nothing secret is said")
    func withoutEncryptionNothingSecretIsSaid() {
        let offers = Account.header + Account.mechanisms(["PLAIN", "SCRAM-SHA-1"])
        let refused = [Account.header + Account.startTLS, "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"]
        for steps in [[offers], refused] {
            let (words, sent, _) = problem(steps, isDirect: false)
            #expect(words.contains("does not encrypt"))
            #expect(!sent.contains("<auth"))
        }
        // What somebody put behind `proceed` in clear is not read.
        var bench = Self.bench()
        bench.start()
        bench.connect([Account.header + Account.startTLS])
        bench.say(Account.proceed + Account.header + Account.mechanisms(["PLAIN"]))
        #expect(!bench.actions.sent.contains("<auth"))
        #expect(bench.channel.health.phase == .loggingIn)
    }

    @Test("a refused login and a wrong place are told apart, without the password")
    func aRefusedLoginAndAWrongPlaceAreToldApart() {
        let start = Account.header + Account.mechanisms(["PLAIN"])
        func failure(_ condition: String) -> String {
            "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><\(condition)/><text>no pencil</text></failure>"
        }
        let wrong = problem([start, failure("not-authorized")])
        #expect(wrong.words.contains("check the address and its password") && !wrong.words.contains("pencil"))
        #expect(wrong.bench.channel.health.problem?.isRefusal == true)
        let busy = problem([start, failure("temporary-auth-failure")])
        #expect(busy.bench.channel.health.problem?.isRefusal == false)
        #expect(problem([Account.header + Account.mechanisms(["X-NEW"])]).words.contains("X-NEW"))
        let moved =
            "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>evil.example</see-other-host>"
            + "</stream:error>"
        let elsewhere = problem([Account.header + moved])
        #expect(elsewhere.words.contains("not followed"))
        #expect(elsewhere.bench.actions.targets.allSatisfy { $0.host == "example.com" })
        #expect(problem(["HTTP/1.1 400 Bad Request\r\n"]).words.contains("not its protocol"))
    }

    @Test(
        "without a host TLS at once is tried first, then STARTTLS, then it is waited; what worked is tried first again")
    func withoutAHostTLSAtOnceIsTriedFirst() {
        var bench = AccountBench { $0.isDirectTLS = nil }
        bench.start()
        let direct = DialTarget(host: "example.com", port: 5223, security: .tls(authorityFile: nil))
        let later = DialTarget(host: "example.com", port: 5222, security: .plain)
        #expect(bench.take().targets == [direct])
        let failure = ConnectFailure.dial(.unreachable(.refused))
        bench.channel.connectFailed(failure, slot: DialSlot(0), at: bench.now, into: &bench.actions)
        #expect(bench.take().targets == [later])
        bench.channel.connectFailed(failure, slot: DialSlot(0), at: bench.now, into: &bench.actions)
        #expect(bench.actions.targets.isEmpty && bench.channel.health.phase == .waiting)
        #expect(bench.take().problemWords.first?.contains("cannot be reached") == true)
        bench.waitForDial()
        #expect(bench.take().targets == [direct])
        bench.channel.connectFailed(failure, slot: DialSlot(0), at: bench.now, into: &bench.actions)
        bench.connect([Self.scram[0], Self.scram[1], Self.scram[2], Self.scram[3], Self.scram[4]])
        bench.connect()
        _ = bench.take()
        bench.lose()
        // It had not got through: the other one may.
        bench.waitForDial()
        #expect(bench.take().targets.isEmpty == false)
        var own = AccountBench {
            $0.isDirectTLS = nil
            $0.host = "xmpp.example.net"
            $0.port = 443
        }
        own.start()
        var target = DialTarget(host: "xmpp.example.net", port: 443, security: .tls(authorityFile: nil))
        target.certifiedName = "example.com"
        #expect(own.actions.targets == [target])
    }
}

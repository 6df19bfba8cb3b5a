import Glibc
import PhoneProtocol
import Testing

/// The service as it is on its sockets; its behaviour is tested with the machine. The client is Python's TLS.
@Suite("simulate push", .serialized, .timeLimit(.minutes(15)))
struct SimulatePushTests {
    /// Connects, verifies the certificate for localhost, and sends the lines of standard input, each after an answer
    /// has come; prints what it reads.
    private static let client = """
        import os, socket, ssl, sys
        port, authority = int(sys.argv[1]), sys.argv[2]
        lines = [line.rstrip() for line in sys.stdin]
        try:
            plain = socket.create_connection(('127.0.0.1', port), timeout=10)
            secure = ssl.create_default_context(cafile=authority).wrap_socket(plain, server_hostname='localhost')
        except (ssl.SSLError, ConnectionError, OSError) as problem:
            print('PROBLEM', problem, flush=True)
            sys.exit(0)
        secure.settimeout(10)
        text = ''
        def read_until(mark):
            global text
            while mark not in text:
                part = secure.recv(65536)
                if not part: return False
                text += part.decode()
                print(part.decode(), end='', flush=True)
            text = text[text.index(mark) + len(mark):]
            return True
        for line in lines:
            mark, stanza = line.split('|', 1)
            secure.sendall(stanza.encode())
            if mark and not read_until(mark): break
        # Python's TLS takes a reset for an end; the socket below does not.
        below = socket.socket(fileno=os.dup(secure.fileno()))
        below.settimeout(10)
        try:
            while True:
                if secure.pending() == 0: below.recv(1, socket.MSG_PEEK)
                part = secure.recv(65536)
                if not part: break
                print(part.decode(), end='', flush=True)
            print('\\nEND', flush=True)
        except ConnectionResetError:
            print('\\nRESET', flush=True)
        """

    private static let header =
        "</stream:features>|<stream:stream to='gcm.googleapis.com' version='1.0' xmlns='jabber:client' "
        + "xmlns:stream='http://etherx.jabber.org/streams'>"

    private static let login = [
        header,
        "<success|<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>"
            + "ADEyMzQ1Njc4OTAxMkBnY20uZ29vZ2xlYXBpcy5jb20AQUl6YVRFU1RLRVk=</auth>",
        header, "</iq>|<iq id='b' type='set'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>",
        "id=\"s\"|<iq id='s' type='set'><session xmlns='urn:ietf:params:xml:ns:xmpp-session'/></iq>",
    ]

    private func connect(
        to push: PushProcess, _ name: String, in directory: TestDirectory, _ lines: [String]
    ) throws -> Program {
        try Program(
            name, ["python3", "-c", Self.client, "\(push.port)", push.authorityFile], in: directory,
            input: lines.map { "\($0)\n" }.joined(), executable: "/usr/bin/env")
    }

    @Test("a client that verifies logs in over TLS; its message reaches a phone, and the phone's reaches it")
    func aClientThatVerifiesLogsInOverTLS() throws {
        let directory = try TestDirectory()
        let push = try PushProcess(in: directory, arguments: ["--trace"])
        let phone = try LineClient(port: push.phonesPort)
        phone.sendLine("{\"send\":{\"id\":\"m\",\"data\":{}}}")
        #expect(try phone.readLine() == "{\"problem\":\"say {\\\"hello\\\":TOKEN} first\"}")
        phone.sendLine("{\"hello\":\"TOKEN\"}")
        phone.sendLine("{\"send\":{\"id\":\"early\",\"data\":{}}}")
        #expect(try phone.readLine() == "{\"error\":{\"id\":\"early\",\"code\":501}}")
        #expect(try phone.readLine() == "{\"ready\":true}")
        let message =
            "\"message_id\":\"m1\"|<message><gcm xmlns='google:mobile:data'>{\"to\":\"TOKEN\",\"message_id\":\"m1\","
            + "\"data\":{\"raw\":\"65210\"},\"notification\":{\"title\":\"t\"},\"priority\":\"high\"}</gcm></message>"
        let client = try connect(to: push, "client", in: directory, Self.login + [message])
        #expect(
            try phone.readLine()
                == "{\"message\":{\"data\":{\"raw\":\"65210\"},\"notification\":{\"title\":\"t\"},\"priority\":\"high\"}}"
        )
        phone.sendLine("{\"send\":{\"id\":\"up1\",\"data\":{\"command\":\"ping\"},\"ttl\":0}}")
        let isThere = Deadline.wait(.patience) { client.output.contains("\"message_id\":\"up1\"") }
        #expect(isThere, "\(client.report)")
        try push.perform("canonical-id TOKEN NEW")
        #expect(try phone.readLine() == "{\"token\":\"NEW\"}")
        #expect(try push.truth()["tally"]?["logins"] == .integer(1))
        try push.perform("close-graceful")
        _ = try client.waitForLine(containing: "END")
        #expect(client.output.contains("</stream:stream>"))
        _ = try push.program.waitForLine(containing: "# client 1: ")
        #expect(push.program.output.contains("mechanism=\"PLAIN\">****</auth>"))
        #expect(push.program.output.contains("# client 1 connected, TLSv1.3"))
        #expect(!push.program.output.contains(PushProcess.key))
        #expect(try push.answer("quit") == "ok")
        #expect(try push.program.waitForExit() == 0)
    }

    @Test("an abrupt end is a reset, refused connections are refused, and then the same port takes them again")
    func anAbruptEndIsAReset() throws {
        let directory = try TestDirectory()
        let push = try PushProcess(in: directory)
        let client = try connect(to: push, "client", in: directory, Self.login)
        let isIn = try Deadline.wait(.patience) { try push.truth()["tally"]?["logins"] == .integer(1) }
        #expect(isIn, "\(client.report)")
        _ = Deadline.wait(.patience) { client.output.contains("id=\"s\"") }
        try push.perform("close-abrupt")
        _ = try client.waitForLine(containing: "RESET")
        try push.perform("refuse-connect on")
        let refused = try connect(to: push, "refused", in: directory, [])
        #expect(try refused.waitForLine(containing: "PROBLEM").contains("refused"))
        try push.perform("refuse-connect off")
        let back = try connect(to: push, "back", in: directory, Self.login)
        let isBack = Deadline.wait(.patience) { back.output.contains("id=\"s\"") }
        #expect(isBack, "\(back.report)")
    }

    @Test(
        "a certificate that is expired, for another host or its own authority is what a client that verifies refuses",
        arguments: [
            ("expired", "certificate has expired"), ("wrong-host", "Hostname mismatch"),
            ("self-signed", "self-signed certificate"),
        ])
    func aCertificateThatIsExpired(_ kind: String, _ problem: String) throws {
        let directory = try TestDirectory()
        let push = try PushProcess(in: directory)
        try push.perform("certificate \(kind)")
        let client = try connect(to: push, "client", in: directory, Self.login)
        #expect(try client.waitForLine(containing: "PROBLEM").contains(problem))
        try push.perform("certificate valid")
        let again = try connect(to: push, "again", in: directory, Self.login)
        let isIn = Deadline.wait(.patience) { again.output.contains("id=\"s\"") }
        #expect(isIn, "\(again.report)")
    }

    @Test("the control port says in which column a verb is wrong, and goes on")
    func theControlPortSaysInWhichColumnAVerbIsWrong() throws {
        let push = try PushProcess(in: try TestDirectory())
        #expect(try push.answer("drian").hasPrefix("error: column 1: \"drian\" is none of drain, drain-nack"))
        #expect(try push.answer("window 0") == "error: column 8: \"0\" is not a number from 1 to 10000")
        #expect(try push.answer("drain") == "ok")
    }

    @Test(
        "what is no option is refused with what to do",
        arguments: [
            ["simulate"], ["simulate", "push"], ["simulate", "push", "--sender", "1"],
            ["simulate", "push", "--sender", "x", "--key", "k"], ["simulate", "push", "--prot", "1"],
        ])
    func whatIsNoOptionIsRefusedWithWhatToDo(words: [String]) throws {
        let result = try Program.run(words, in: try TestDirectory())
        #expect(result.status == 64 && result.errors.contains("simulate push --help") && result.output.isEmpty)
    }
}

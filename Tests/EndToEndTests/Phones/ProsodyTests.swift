import AlarmModel
import Foundation
import PhoneProtocol
import Testing

/// Our client against an XMPP server of others, our simulated service against a client of others.
@Suite("XMPP of others", .serialized, .timeLimit(.minutes(15)))
struct ProsodyTests {
    private static let token = "ORIGINAL-APP-TOKEN-1"

    @Test(
        "the daemon logs in at Prosody, its alarms are acknowledged, drained and lost connections are made anew",
        .enabled(if: Independents.hasProsody, "no Prosody: \(Independents.advice)"))
    func theDaemonLogsInAtProsody() throws {
        let directory = try TestDirectory()
        let server = try ProsodyProcess(in: directory)
        try server.start()
        var configuration = Configuration()
        var phones = PhonesConfiguration(port: server.port, authorityFile: server.authorityFile)
        phones.isLegacyEnabled = true
        configuration.phones = phones
        let house = try Appliance(configuration, in: directory)
        // The module knows no phones; an approved token is an address for messages.
        #expect(try house.run("phones", "approve", Self.token).status == 0)
        try house.start()
        try house.waitUntilUp()
        func waits() throws -> JSON? { try JSON(parsing: try house.run("phones", "list", "--json").output)["waiting"] }
        func isReady() throws {
            try eventually("the login; \(server.report) \(house.daemon?.report ?? "")") {
                try JSON(parsing: try house.run("phones", "list", "--json").output)["connection"] == .string("ready")
                    ? true : nil
            }
        }
        func alarms() -> [String] { server.heard.filter { $0.contains("\"code\":\"625\"") } }
        try isReady()
        try house.house("key panic")
        try eventually("the alarm at Prosody; \(server.report)") { alarms().count == 1 ? true : nil }
        try eventually("its ack has come") { try waits() == .integer(0) ? true : nil }

        try server.drain()
        try eventually("Prosody has said so") { server.heard.contains("draining") ? true : nil }
        try house.house("raw 6561")
        try house.house("key panic")
        try eventually("the alarm while draining; \(server.heard)") { alarms().count >= 2 ? true : nil }

        server.kill9()
        try eventually("the loss is seen") {
            try JSON(parsing: try house.run("phones", "list", "--json").output)["connection"] != .string("ready")
                ? true : nil
        }
        let before = alarms().count
        try house.house("key panic")
        try server.start()
        try eventually("the alarm after the loss; \(server.report)") { alarms().count > before ? true : nil }
        try eventually("its ack has come") { try waits() == .integer(0) ? true : nil }
        #expect(!server.heard.contains("bad"))

        // A wrong key.
        phones.key = "AIzaWRONGKEY"
        configuration.phones = phones
        configuration.port = house.panel.port
        _ = try directory.write("howalarming.yaml", configuration.text)
        house.daemon?.signal(1)
        let offline = try eventually("the account is refused; \(server.report) \(house.daemon?.report ?? "")") {
            try house.records().last { $0.code == EventCode.pushOffline.rawValue }
        }
        #expect(offline.message.contains("refused the account") && offline.message.contains("sender_id"))
        #expect(!offline.message.contains("AIza"))
        #expect(try house.stop() == 0)
    }

    /// Logs in, sends what it shall, prints what it hears.
    private static let client = """
        import asyncio, sys
        import slixmpp
        from slixmpp.xmlstream import ET
        port, authority, key = int(sys.argv[1]), sys.argv[2], sys.argv[3]
        class Client(slixmpp.ClientXMPP):
            def __init__(self):
                super().__init__('123456789012@gcm.googleapis.com', key)
                # The whole address is the name of the account there.
                self.credentials['username'] = '123456789012@gcm.googleapis.com'
                self.ca_certs = authority
                self.enable_direct_tls, self.enable_starttls, self.enable_plaintext = True, False, False
                self.add_event_handler('session_start', self.started)
                self.add_event_handler('failed_auth', lambda _: self.end('refused'))
                self.register_handler(slixmpp.xmlstream.handler.Callback('gcm',
                    slixmpp.xmlstream.matcher.MatchXPath('{jabber:client}message'), self.heard))
                self.done = asyncio.Event()
            def end(self, text):
                print(text, flush=True)
                self.done.set()
            def started(self, _):
                print('session', flush=True)
                self.say('{"to":"TOKEN-OF-A-PHONE","message_id":"m1","data":{"a":"1"}}')
            def say(self, text):
                message = self.make_message(mto='gcm.googleapis.com')
                message['id'] = 'x1'
                gcm = ET.SubElement(message.xml, '{google:mobile:data}gcm')
                gcm.text = text
                message.send()
            def heard(self, message):
                gcm = message.xml.find('{google:mobile:data}gcm')
                print('heard', message['type'], gcm.text if gcm is not None else '', flush=True)
                if message['type'] == 'error': return self.end('end')
                if gcm is not None and 'ack' in gcm.text: self.say('not json')
        async def main():
            client = Client()
            client.connect('127.0.0.1', port)
            try: await asyncio.wait_for(client.done.wait(), 30)
            except asyncio.TimeoutError: print('too late', flush=True)
            client.abort()
        asyncio.run(main())
        """

    @Test(
        "slixmpp logs in at our push simulator, gets acks and error stanzas, and is refused with a wrong key",
        .enabled(if: Independents.hasSlixmpp, "no slixmpp: \(Independents.advice)"))
    func slixmppLogsInAtOurPushSimulator() throws {
        let directory = try TestDirectory()
        let push = try PushProcess(in: directory)
        let phone = try LineClient(port: push.phonesPort)
        phone.sendLine(#"{"hello":"TOKEN-OF-A-PHONE"}"#)
        func run(_ key: String) throws -> Program.Result {
            try Program.run(
                ["-c", Self.client, "\(push.port)", push.authorityFile, key], in: directory,
                executable: Independents.python, within: .seconds(60))
        }
        let good = try run(PushProcess.key)
        #expect(good.lines.first == "session", "\(good.output) \(good.errors)")
        #expect(good.output.contains("\"message_type\":\"ack\"") && good.output.contains("m1"), "\(good.output)")
        #expect(good.output.contains("heard error"), "\(good.output) \(good.errors)")
        #expect(try phone.readLines(upTo: "{\"message\"").last?.contains("\"a\":\"1\"") == true)
        let bad = try run("wrong")
        #expect(bad.lines.last == "refused", "\(bad.output) \(bad.errors)")
    }

    @Test(
        "qrencode makes 33 by 33 dots of a pairing code, which fit on half a screen; without it nothing breaks",
        .enabled(if: Independents.hasQRencode, "no qrencode: \(Independents.advice)"))
    func qrencodeMakes33By33DotsOfAPairingCode() throws {
        let house = try PhoneHouse.running()
        try house.house.run("people", "add", "Anna")
        // `script` is a terminal for the program; the picture is drawn on terminals only.
        func screen(_ path: String, _ name: String) throws -> String {
            let terminal = try Program(
                name, ["-c", Self.terminal, Program.path, house.house.stateDirectory], in: house.directory,
                environment: ["PATH": path, "LD_LIBRARY_PATH": Independents.libraries, "TERM": "xterm"],
                executable: "/usr/bin/python3")
            _ = try? terminal.waitForExit(within: .seconds(30))
            return terminal.output
        }
        let with = try screen("\(Independents.root)/usr/bin:/usr/bin:/bin", "with")
        // Each line of the picture is painted: 33 dots and 4 light ones on either side, two rows of dots a line.
        let rows = with.components(separatedBy: "\u{1B}[97;40m").dropFirst().compactMap {
            $0.components(separatedBy: "\u{1B}[0m").first
        }
        #expect(rows.count >= 21, "\(with)")
        let widths = Set(rows.map(\.count))
        #expect(widths == [41], "\(widths)")
        let without = try screen("/nowhere", "without")
        #expect(without.contains("HA2:") && without.contains("install qrencode"), "\(without)")
        #expect(house.house.daemon?.isRunning == true)
    }

    /// Runs `phones pair` on a terminal of 100 by 40 for two seconds, ends it with Ctrl-C, and prints the screen.
    private static let terminal = """
        import fcntl, os, pty, struct, sys, termios, time, select
        process, descriptor = pty.fork()
        if process == 0:
            os.execv(sys.argv[1], [sys.argv[1], 'phones', 'pair', '--person', 'Anna', '--state', sys.argv[2]])
        fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 100, 0, 0))
        end, text, asked = time.time() + 8, b'', False
        while time.time() < end:
            ready, _, _ = select.select([descriptor], [], [], 0.2)
            if ready:
                try: part = os.read(descriptor, 65536)
                except OSError: break
                if not part: break
                text += part
            if not asked and time.time() > end - 5:
                os.write(descriptor, b'\\x03')
                asked = True
        os.waitpid(process, 0)
        sys.stdout.write(text.decode(errors='replace').replace('\\r', ''))
        """
}

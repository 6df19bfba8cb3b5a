import Glibc
import PhoneProtocol
import Testing

/// The simulated topic server as a library of others sees it; its behaviour is tested with the machine.
@Suite("simulate ntfy", .serialized, .timeLimit(.minutes(15)))
struct SimulateNtfyTests {
    /// Publishes and listens with aiontfy; its streams of JSON lines are read with its own reader of notifications.
    private static let client = """
        import asyncio, json, ssl, sys
        import aiohttp
        from aiontfy import HttpAction, Message, Notification, Ntfy, Event
        from aiontfy.exceptions import NtfyHTTPError
        port, authority = sys.argv[1], sys.argv[2]
        url = f'https://localhost:{port}'
        context = ssl.create_default_context(cafile=authority)
        # Python 3.13 wants extensions that the simulator's certificates do without.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT

        async def refused(what, doing):
            try:
                await doing
                print('NOT REFUSED', what, flush=True)
            except NtfyHTTPError as error:
                print(what, type(error).__name__, error.code, error.http, flush=True)

        async def main():
            connector = aiohttp.TCPConnector(ssl=context)
            async with aiohttp.ClientSession(connector=connector) as session:
                box, phone = Ntfy(url, session, token='tk_box'), Ntfy(url, session, token='tk_phone')
                await box.can_subscribe(['commands'])
                headers = {'Authorization': 'Bearer tk_box'}
                stream = await session.get(f'{url}/commands/json?since=1m', headers=headers)
                opened = Notification.from_json(await stream.content.readline())
                print('opened', opened.event == Event.OPEN, opened.topic, flush=True)
                action = HttpAction(label='Seen', url=f'{url}/commands', body='HA2BAAAA', clear=True,
                                    headers={'Authorization': 'Bearer tk_phone'})
                sent = await box.publish(Message(topic='alerts', title='Alarm', message='Kitchen \\u2714', priority=5,
                                                 tags=['rotating_light'], actions=[action], sequence_id='b-1'))
                print('sent', len(sent.id), sent.event == Event.MESSAGE, sent.title, sent.priority, sent.tags, flush=True)
                got = await session.get(f'{url}/alerts/json?poll=1&since=all',
                                        headers={'Authorization': 'Bearer tk_phone'})
                lines = [line async for line in got.content]
                notes = [Notification.from_json(line) for line in lines]
                print('polled', len(notes), notes[0].id == sent.id, notes[0].message, notes[0].actions[0].label, flush=True)
                # The library takes every button for one that opens a page; what it is stands in the line.
                press = json.loads(lines[0])['actions'][0]
                await session.request(press['method'], press['url'], headers=press['headers'], data=press['body'])
                note = Notification.from_json(await stream.content.readline())
                print('pressed', note.topic, note.message, flush=True)
                after = await session.get(f'{url}/commands/json?poll=1&since={note.id}', headers=headers)
                print('after', len(await after.read()), flush=True)
                kept = Notification.from_json(await stream.content.readline())
                print('alive', kept.event == Event.KEEPALIVE, flush=True)
                await refused('reading', phone.can_subscribe(['commands']))
                await refused('writing', phone.publish(Message(topic='alerts', message='x')))
                await refused('stranger', Ntfy(url, session, token='tk_x').publish(Message(topic='alerts')))
                await refused('nobody', Ntfy(url, session).publish(Message(topic='alerts')))
                await refused('long', box.publish(Message(topic='alerts', message='x' * 9000)))
                await refused('topic', box.publish(Message(topic='no topic', message='x')))
                long = await box.publish(Message(topic='alerts', message='x' * 5000))
                print('file', long.attachment is not None, flush=True)
                await refused('quota', box.publish(Message(topic='alerts', message='x')))
        asyncio.run(main())
        """

    @Test(
        "aiontfy publishes with a button, reads what was kept, hears the press on a stream, and knows each refusal",
        .enabled(if: Independents.hasAiontfy, "\(Independents.advice)"))
    func aiontfyPublishesWithAButton() throws {
        let directory = try TestDirectory()
        let server = try TopicProcess(
            in: directory,
            arguments: [
                "--access", "tk_box:alerts:w", "--access", "tk_box:commands:r", "--access", "tk_phone:alerts:r",
                "--access", "tk_phone:commands:w", "--keepalive", "1", "--quota", "3", "--trace",
            ])
        let result = try Program.run(
            ["-c", Self.client, "\(server.port)", server.authorityFile], in: directory,
            executable: Independents.newerPython)
        #expect(result.status == 0, "\(result.errors.suffix(2000))")
        let wanted = [
            "opened True commands", "sent 12 True Alarm 5 ['rotating_light']", "polled 1 True Kitchen \u{2714} Seen",
            "pressed commands HA2BAAAA", "after 0", "alive True", "reading NtfyForbiddenAccessError 40301 403",
            "writing NtfyForbiddenAccessError 40301 403", "stranger NtfyUnauthorizedAuthenticationError 40101 401",
            "nobody NtfyForbiddenAccessError 40301 403", "long NtfyRequestEntityTooLargeJSONBodyError 41303 413",
            "topic NtfyBadRequestTopicInvalidError 40009 400", "file True",
            "quota NtfyTooManyRequestsLimitMessagesError 42908 429",
        ]
        #expect(result.lines.count == wanted.count, "\(result.output) \(result.errors.suffix(2000))")
        for (line, words) in zip(result.lines, wanted) { #expect(line == words) }
        let first = try server.truth()["messages"]?.arrayValue?.first
        #expect(first?["buttons"]?.arrayValue == [.string("Seen")] && first?["sequence"] == .string("b-1"))
        #expect(!server.program.output.contains("tk_"))
    }

    @Test("with --plain-too it takes both at one port, and any page may read the answer; without it, only TLS")
    func withPlainTooItTakesBothAtOnePort() throws {
        let directory = try TestDirectory()
        for isPlainToo in [true, false] {
            let server = try TopicProcess(in: directory, arguments: isPlainToo ? ["--plain-too"] : [])
            func publish(_ place: String) throws -> Program.Result {
                try Program.run(
                    [
                        "curl", "-s", "-i", "--max-time", "10", "--cacert", server.authorityFile, "-H",
                        "Origin: http://localhost:1", "-d", "hello", "\(place):\(server.port)/alerts",
                    ], in: directory, executable: "/usr/bin/env")
            }
            // The address stands in the certificate as the name does.
            #expect(try publish("https://127.0.0.1").output.hasPrefix("HTTP/1.1 200"))
            #expect(try publish("https://localhost").output.hasPrefix("HTTP/1.1 200"))
            let plain = try publish("http://127.0.0.1")
            #expect((plain.status == 0) == isPlainToo)
            #expect(plain.output.contains("Access-Control-Allow-Origin: *") == isPlainToo)
            #expect(try server.truth()["published"] == .integer(isPlainToo ? 3 : 2))
        }
    }

    @Test("the control port steers it: faults come and go, and it says in which column a verb is wrong")
    func theControlPortSteersIt() throws {
        let directory = try TestDirectory()
        let server = try TopicProcess(in: directory)
        func status() throws -> String {
            let result = try Program.run(
                [
                    "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "10", "--cacert",
                    server.authorityFile, "-d", "hello", "https://localhost:\(server.port)/alerts",
                ], in: directory, executable: "/usr/bin/env")
            return result.output.isEmpty || result.status != 0 ? "curl \(result.status)" : result.output
        }
        #expect(try status() == "200")
        try server.perform("status 503 1 publish")
        #expect(try status() == "503")
        #expect(try status() == "200")
        try server.perform("certificate expired")
        #expect(try status() == "curl 60")
        try server.perform("refuse-connect on")
        #expect(try status() == "curl 7")
        try server.perform("faults off")
        #expect(try status() == "200")
        #expect(try server.truth()["published"] == .integer(3))
        #expect(try server.answer("stauts 503").hasPrefix("error: column 1: \"stauts\" is none of black-hole"))
        #expect(try server.answer("quit") == "ok")
        #expect(try server.program.waitForExit() == 0)
    }

    @Test(
        "what is no option is refused with what to do",
        arguments: [
            ["simulate", "ntfy", "--prot", "1"], ["simulate", "ntfy", "--access", "x"],
            ["simulate", "ntfy", "--port", "x"], ["simulate", "ntfy", "--quota"],
        ])
    func whatIsNoOptionIsRefusedWithWhatToDo(words: [String]) throws {
        let result = try Program.run(words, in: try TestDirectory())
        #expect(result.status == 64 && result.errors.contains("simulate ntfy --help") && result.output.isEmpty)
    }
}

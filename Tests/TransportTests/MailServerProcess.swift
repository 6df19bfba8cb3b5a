import AlarmModel
import PhoneLink
import PhoneProtocol
import Platform
import Testing

/// aiosmtpd, a mail server for Python, on the loop of a runner. It prints each message that it took as JSON.
struct MailServerProcess {
    let program: ProgramOfOthers
    let port: UInt16

    /// - mode: `plain`, `starttls` or `tls`; the latter two want the user `box` with the password `s3cret-word`
    /// - port: 0 takes a free one
    init(
        _ mode: String, port: UInt16 = 0, files: (chain: String, key: String)? = nil, in directory: TemporaryDirectory,
        on runner: TransportRunner<MailTransport>
    ) throws {
        let script = try directory.write("server.py", Self.script)
        let program = try ProgramOfOthers(
            Independents.python, [script, mode, String(port), files?.chain ?? "", files?.key ?? ""], on: runner.loop)
        try runner.wait(for: "aiosmtpd's port") { _ in
            if program.end != nil { throw WaitedInVain(description: program.complaints.joined(separator: "\n")) }
            return !program.lines.isEmpty
        }
        self.program = program
        self.port = try #require(UInt16(program.lines[0]))
    }

    var messages: [JSON] { program.lines.dropFirst().compactMap { try? JSON(parsing: $0) } }

    private static let script = """
        import asyncio, email, email.policy, json, ssl, sys
        from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword
        mode, port, chain, key = sys.argv[1:5]
        context = None
        if mode != 'plain':
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(chain, key)

        class Handler:
            async def handle_RCPT(self, server, session, envelope, address, options):
                if address.startswith('nobody'): return '550 5.1.1 no such mailbox'
                if address.startswith('later'): return '450 4.2.1 come back'
                envelope.rcpt_tos.append(address)
                return '250 OK'
            async def handle_DATA(self, server, session, envelope):
                m = email.message_from_bytes(envelope.content, policy=email.policy.default)
                print(json.dumps(dict(
                    sender=envelope.mail_from, to=envelope.rcpt_tos, id=m['message-id'], subject=m['subject'],
                    body=m.get_content().replace('\\r\\n', '\\n'), tls=bool(server.transport.get_extra_info('sslcontext')),
                    automatic=m['auto-submitted'], defects=len(m.defects))), flush=True)
                return '250 queued'

        def check(server, session, envelope, mechanism, data):
            good = isinstance(data, LoginPassword) and (data.login, data.password) == (b'box', b's3cret-word')
            return AuthResult(success=good, handled=good)

        def make():
            if mode == 'plain': return SMTP(Handler(), hostname='mail.test')
            if mode == 'starttls':
                return SMTP(Handler(), hostname='mail.test', tls_context=context, require_starttls=True,
                            authenticator=check, auth_required=True)
            return SMTP(Handler(), hostname='mail.test', authenticator=check, auth_required=True,
                        auth_require_tls=False)

        async def main():
            server = await asyncio.get_running_loop().create_server(
                make, '127.0.0.1', int(port), ssl=context if mode == 'tls' else None, reuse_address=True)
            print(server.sockets[0].getsockname()[1], flush=True)
            await server.serve_forever()
        asyncio.run(main())
        """
}

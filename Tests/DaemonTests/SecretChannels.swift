/// Channels to people with a secret in each, as an owner writes them, for tests that look for secrets.
enum SecretChannels {
    static let text = """
        alert_gcm: {sender_id: '123456789012', api_key: AIzaKEYkey}
        ntfy: {server: 'https://ntfy.example', token: tk_TOPICtoken}
        mqtt: {host: broker.example, user: house, password: brokerPW}
        alert_email: {smtp_host: mail.example, smtp_port: 587, security: starttls, user: box@mail.example,
          password: mailPW77, addr_from: box@mail.example, addr_to: [ann@x.example], triggers: [alarm]}
        alert_url:
          triggers: [alarm]
          urls:
            - {url: 'https://hooks.example/services/T0SECRETpath', method: post, secret: sharedSECRET77889}
        """
    static let secrets = [
        "AIzaKEYkey", "tk_TOPICtoken", "brokerPW", "mailPW77", "T0SECRETpath", "sharedSECRET77889",
    ]
}

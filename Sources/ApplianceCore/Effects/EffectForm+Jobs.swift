import AlarmModel
import PhoneProtocol

/// What is computed elsewhere: with keys, for channels to people, for the console's lock.
extension EffectForm {
    mutating func write(_ job: VaultJob, as number: Int) {
        switch job {
        case .open(let envelope):
            write("vault \(number) open")
            write(envelope)
        case .seal(let phone, let message, let challengeUntil):
            write("vault \(number) seal \(phone) \(message.kind.rawValue) \(challengeUntil.map { "\($0)" } ?? "-")")
            write(message.rid ?? [])
            write(message.content.text)
        case .beginPairing(let servers):
            write("vault \(number) begin-pairing \(servers.map { "\($0.kind.rawValue):\($0.place)" })")
        case .handshake(let frame, let siteName):
            write("vault \(number) handshake \(siteName)")
            write(frame)
        case .confirm(let digits): write("vault \(number) confirm \(digits.revealed)")
        case .nonce: write("vault \(number) nonce")
        case .endPairing: write("vault \(number) end-pairing")
        case .beginCodes(let person, let issuer, let account):
            write("vault \(number) begin-codes \(person.number) \(issuer) \(account)")
        case .confirmCodes(let code, let time):
            write("vault \(number) confirm-codes \(code.revealed) \(time.milliseconds)")
        case .endCodes: write("vault \(number) end-codes")
        case .checkCode(let person, let code, let time, let lastUsed):
            write("vault \(number) check-code \(person.number) \(code.revealed) \(time.milliseconds) \(lastUsed)")
        case .forgetCodes(let person): write("vault \(number) forget-codes \(person.number)")
        case .forget(let phone): write("vault \(number) forget \(phone)")
        }
    }

    mutating func write(_ job: TransportJob, as number: Int) {
        switch job {
        case .signRS256(let key, let message):
            write("compute \(number) rs256 \(key.revealed)")
            write(message)
        case .hmacSHA256(let key, let message):
            write("compute \(number) hmac-sha256 \(key.revealed)")
            write(message)
        case .scram(let hash, let password, let salt, let rounds, let message):
            write("compute \(number) scram \(hash.rawValue) \(password.revealed) \(rounds)")
            write(salt)
            write(message)
        case .channelBinding(let connection): write("compute \(number) channel-binding \(self.number(connection))")
        case .random(let count): write("compute \(number) random \(count)")
        case .capabilities(let count): write("compute \(number) capabilities \(count)")
        case .capability(let content):
            write("compute \(number) capability")
            write(content)
        case .pushKey: write("compute \(number) push-key")
        case .signPush(let input):
            write("compute \(number) sign-push")
            write(input)
        case .sealPush(let content, let point, let secret, let size):
            write("compute \(number) seal-push \(secret) \(size)")
            write(point)
            write(content)
        case .sealReport(let key, let text): write("compute \(number) seal-report \(key.revealed) \(text)")
        case .openReport(let key, let bytes):
            write("compute \(number) open-report \(key.revealed)")
            write(bytes)
        }
    }

    mutating func write(_ job: PINJob, as number: Int) {
        switch job {
        case .make(let pin): write("derive \(number) make \(pin.revealed)")
        case .check(let pin, let kept):
            write("derive \(number) check \(pin.revealed)")
            write(stored: kept)
        }
    }
}

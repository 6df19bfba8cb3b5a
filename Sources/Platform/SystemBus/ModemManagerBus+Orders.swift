package import AlarmModel

extension ModemManagerBus {
    /// Carries out an order; the answer comes as a fact.
    package func carryOut(_ order: ModemOrder) {
        switch order {
        case .find: find()
        case .unlock(let pin): unlock(pin)
        case .enable: ask("Enable", of: "Modem", [.bool(true)], within: .seconds(80), for: .enable)
        case .connect(let subscription): connect(subscription)
        case .disconnect:
            // "/" stands for all bearers.
            ask("Disconnect", of: "Modem.Simple", [.objectPath("/")], within: .seconds(55), for: .disconnect)
        case .reset: ask("Reset", of: "Modem", [], within: .seconds(55), for: .reset)
        case .sendText(let message):
            takeTexts()
            send(message)
        case .call(let id, let number): voice.dial(id, number, by: modem)
        case .speak(let id, let words, let socket): voice.speak(id, words, by: socket)
        case .sendTone(let id, let tone): voice.sendTone(id, tone)
        case .hangUp(let id): voice.hangUp(id)
        }
    }

    private var modem: ModemObject? { modems.first }

    private func find() {
        refresh { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let error): self.tell(.failed(.find, ModemFailure(error)))
            case .success:
                self.tellAgain()
                guard self.modem == nil else { return self.tell(.done(.find)) }
                // Whether it finds one is told by the signal; that it may not look does not matter.
                let scan = BusCall("ScanDevices", of: Self.service, at: Self.root, from: Self.service)
                self.bus.call(scan) { [weak self] _ in self?.tell(.done(.find)) }
            }
        }
    }

    private func unlock(_ pin: Secret) {
        guard let sim = modem?.simPath else { return tell(.failed(.unlock, ModemFailure(.noModem, "no SIM"))) }
        let call = BusCall(
            "SendPin", of: Self.service + ".Sim", at: sim, from: Self.service, [.string(pin.revealed)],
            within: .seconds(50), isSensitive: true)
        carryOut(call, for: .unlock, hiding: [pin])
    }

    private func connect(_ subscription: ModemSubscription) {
        guard let modem else { return tell(.failed(.connect, ModemFailure(.noModem))) }
        let path = modem.path
        // MMBearerIpFamily
        let family: UInt32 =
            switch subscription.ipType {
            case .ipv4: 1
            case .ipv6: 2
            case .both: 4
            }
        let call = BusCall(
            "Connect", of: Self.service + ".Modem.Simple", at: path, from: Self.service,
            [
                .properties([
                    "apn": .string(subscription.apn), "ip-type": .uint32(family),
                    "allow-roaming": .bool(subscription.allowsRoaming), "user": subscription.user.map { .string($0) },
                    "password": subscription.password.map { .string($0.revealed) },
                ])
            ], within: .seconds(170), isSensitive: subscription.password != nil)
        carryOut(call, for: .connect, hiding: subscription.password.map { [$0] } ?? []) { [weak self] values, done in
            guard let self, let bearer = values.first?.text else { return done() }
            // What the connection is like is told before that it stands.
            self.readBearer(bearer, of: path, then: done)
        }
    }

    private func send(_ message: TextMessage) {
        let id = message.id
        guard let modem else { return tell(.textFailed(id, ModemFailure(.noModem))) }
        let path = modem.path
        let messaging = Self.service + ".Modem.Messaging"
        let create = BusCall(
            "Create", of: messaging, at: path, from: Self.service,
            [.properties(["number": .string(message.number), "text": .string(message.text)])])
        bus.call(create) { [weak self] result in
            guard let self else { return }
            let text: String
            switch result {
            case .failure(let error): return self.tell(.textFailed(id, ModemFailure(error)))
            case .success(let values):
                guard let made = values.first?.text else {
                    return self.tell(.textFailed(id, ModemFailure(.other, "no message was made")))
                }
                text = made
            }
            let send = BusCall("Send", of: Self.service + ".Sms", at: text, from: Self.service, within: .seconds(90))
            self.bus.call(send) { [weak self] result in
                guard let self else { return }
                switch result {
                case .success: self.tell(.textSent(id))
                case .failure(let error): self.tell(.textFailed(id, ModemFailure(error)))
                }
                // The SIM's memory is small; whether this works does not matter.
                let delete = BusCall("Delete", of: messaging, at: path, from: Self.service, [.objectPath(text)])
                self.bus.call(delete) { _ in }
            }
        }
    }

    private func ask(
        _ member: String, of interface: String, _ arguments: [BusValue], within patience: Duration, for task: ModemTask
    ) {
        guard let modem else { return tell(.failed(task, ModemFailure(.noModem))) }
        let call = BusCall(
            member, of: "\(Self.service).\(interface)", at: modem.path, from: Self.service, arguments, within: patience)
        carryOut(call, for: task, hiding: [])
    }

    /// `after` ends with a call of its second argument.
    private func carryOut(
        _ call: BusCall, for task: ModemTask, hiding secrets: [Secret],
        after: @escaping ([BusValue], @escaping () -> Void) -> Void = { $1() }
    ) {
        bus.call(call) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let values): after(values) { [weak self] in self?.tell(.done(task)) }
            case .failure(let error): self.tell(.failed(task, ModemFailure(error, hiding: secrets)))
            }
        }
    }
}

extension ModemFailure {
    /// - Parameter secrets: what the call carried; should the answer repeat it, it is masked
    init(_ error: BusError, hiding secrets: [Secret] = []) {
        var words = error.words
        for secret in secrets where !secret.revealed.isEmpty {
            words = words.replacing(text: secret.revealed, with: "****")
        }
        let dbus = "org.freedesktop.DBus.Error."
        let modem = "org.freedesktop.ModemManager1.Error."
        let kind: Kind =
            switch error.name {
            case modem + "MobileEquipment.IncorrectPassword", modem + "MobileEquipment.SimPuk": .wrongPIN
            case dbus + "AccessDenied", dbus + "InteractiveAuthorizationRequired", modem + "Core.Unauthorized":
                .notAllowed
            case dbus + "NoReply", dbus + "Timeout", dbus + "TimedOut", modem + "MobileEquipment.NetworkTimeout":
                .timedOut
            case dbus + "ServiceUnknown", dbus + "NameHasNoOwner", dbus + "UnknownObject", dbus + "UnknownMethod":
                .noModem
            default: .other
            }
        self.init(kind, words)
    }
}

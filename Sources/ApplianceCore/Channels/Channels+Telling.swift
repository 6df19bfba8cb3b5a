import AlarmModel
package import PhoneLink

/// What is told of a channel: that it is lost, that it is back, that its service refuses messages.
extension Channels {
    /// A lost channel that comes back within this is no news.
    static let offlinePatience: Duration = .seconds(90)

    /// Once for each kind, in whatever words its service says it.
    mutating func tellOffline(_ index: Int, _ problem: TransportProblem, _ step: inout Step) {
        if let told = channels[index].offlineTold, told.isSame(as: problem) { return }
        channels[index].offlineTold = problem
        // The refusal of a message may have told it a moment ago.
        guard !channels[index].refused.contains(where: { $0.service?.isSame(as: problem) ?? false }) else { return }
        noteOffline(index, problem, &step)
    }

    mutating func tellOnline(_ index: Int, _ step: inout Step) {
        channels[index].offlineSince = nil
        guard channels[index].offlineTold != nil else { return }
        channels[index].offlineTold = nil
        noteOnline(index, &step)
    }

    mutating func noteOffline(_ index: Int, _ problem: TransportProblem, _ step: inout Step) {
        step.note(
            .fault, .pushOffline, "Phones cannot be reached\(words(of: index)): \(problem).",
            about: .channel(channels[index].kind))
    }

    /// As long as its service refuses messages, the channel is not well.
    mutating func noteOnline(_ index: Int, _ step: inout Step) {
        guard !channels[index].refused.contains(where: { $0.service != nil }) else { return }
        step.note(
            .recovery, .pushOnline, "Phones can be reached again\(words(of: index)).",
            about: .channel(channels[index].kind))
    }

    func words(of index: Int) -> String {
        channels.count == 1 ? "" : " by \(channels[index].kind.words)"
    }

    /// What has lasted long enough is told.
    mutating func noticeTroubles(_ step: inout Step) {
        noticeOffline(&step)
        noticeInbound(&step)
    }

    private mutating func noticeOffline(_ step: inout Step) {
        for index in channels.indices {
            let channel = channels[index]
            guard let since = channel.offlineSince, step.now.boot - since >= Self.offlinePatience,
                channel.offlineTold == nil
            else { continue }
            let problem = channel.carrier.transport.health.problem
            tellOffline(index, problem ?? TransportProblem(.silent, "the service does not answer"), &step)
        }
    }

    // MARK: Refusals

    /// A person must act. It is told once for each address, however often it is said there and in whatever words: what
    /// tells of it goes there, too, and is refused in its turn.
    ///
    /// - Parameters:
    ///   - place: where the message was to go; nil: nowhere that the phone book knows
    ///   - isService: the service's account is at fault, and with it messages to other addresses
    mutating func refused(
        by kind: ChannelKind, at place: AddressID?, _ refusal: Refusal, isService: Bool, _ step: inout Step
    ) {
        guard let index = index(of: kind) else { return }
        let problem = isService ? TransportProblem(refusal.kind, refusal.why) : nil
        guard let place else {
            if let problem { tellOffline(index, problem, &step) }
            return
        }
        let before = channels[index].refused
        guard !before.contains(where: { $0.address == place }) else { return }
        channels[index].refused.append(Channel.RefusedAddress(address: place, service: problem))
        guard let problem else {
            let advice = step.book.isHouse(place) ? " Check it in the configuration." : ""
            return step.note(
                .fault, .pushOffline, "Messages for \(step.book.name(of: place)) are refused: \(refusal.why).\(advice)",
                about: .address(place))
        }
        let wasTold = channels[index].offlineTold?.isSame(as: problem) ?? false
        guard !wasTold, !before.contains(where: { $0.service != nil }) else { return }
        noteOffline(index, problem, &step)
    }

    /// A message was taken at an address: what was told of refusals there is over.
    mutating func taken(at address: AddressID, _ step: inout Step) {
        for index in channels.indices where !channels[index].refused.isEmpty {
            guard let place = channels[index].refused.firstIndex(where: { $0.address == address }) else { continue }
            if channels[index].refused.remove(at: place).service == nil {
                step.note(
                    .recovery, .pushOnline, "Messages for \(step.book.name(of: address)) are taken again.",
                    about: .address(address))
            } else if channels[index].offlineTold == nil {
                noteOnline(index, &step)
            }
        }
    }

    /// Nothing is sent to these addresses any more.
    mutating func forgetRefused(where isGone: (AddressID) -> Bool) {
        for index in channels.indices { channels[index].refused.removeAll { isGone($0.address) } }
    }
}

extension ChannelKind {
    /// Its addresses are phones, store apps and chats of people, and not the house's own.
    var leadsToPhones: Bool {
        switch self {
        case .ntfy, .fcm, .ccs, .xmpp, .webPush: true
        case .mqtt, .mail, .url, .program, .beanstalk, .receiver: false
        }
    }

    /// As it stands after "by".
    package var words: String {
        switch self {
        case .ntfy: "ntfy"
        case .fcm: "FCM (HTTP)"
        case .ccs: "FCM (XMPP)"
        case .xmpp: "XMPP"
        case .mqtt: "MQTT"
        case .mail: "mail"
        case .url: "URL"
        case .program: "program"
        case .beanstalk: "beanstalkd"
        case .webPush: "web push"
        case .receiver: "receiver"
        }
    }
}

import AlarmModel
import PhoneLink
import PhoneProtocol
import Simulators

/// Phones that live by the topic server, and the pushes of their browsers.
extension World {
    /// What may have become possible.
    func careForTopics() {
        for told in household.careForTopics(&hosts, at: now, &chances.phones, &agenda) {
            phoneTurn(told.phone) { $0.subscribed(told.subscription, at: $1, into: &$2) }
        }
    }

    /// A phone, or what pretends to be one, posts to a topic; false: it names none.
    func topicTakes(_ data: JSON) -> Bool {
        guard let post = TopicPost(data) else { return false }
        for arrival in hosts.take(post, at: standpoint, &chances.channels, &agenda) { arrived(arrival, by: .ntfy) }
        return true
    }

    /// The server has taken something; false: no phone listens there.
    func topicHears(_ arrival: Arrival) -> Bool {
        guard let text = household.hears(arrival, hosts, at: now, &chances.phones, &agenda) else { return false }
        phoneChecks.arrives(arrival.message, at: arrival.address, text, from: standpoint)
        return true
    }

    /// A push service has taken something.
    func pushed(_ arrival: Arrival) {
        guard let phone = household.browser(at: arrival.address) else { return }
        guard let push = household.phones[phone].topics?.subscription?.open(arrival.text) else {
            phoneChecks.broken = broken(.pushesAreShown, "\(household.phones[phone].name) gets what it cannot show")
            return
        }
        channelChecks.arrive(push.shown(at: arrival.address), by: .webPush, store)
        phoneChecks.arrives(push.message, at: arrival.address, push.envelope, from: standpoint)
        household.handOverPushes(to: phone, &hosts, at: now, &chances.phones, &agenda)
    }
}

import AlarmModel

/// What can be wrong with a receiver.
enum ReceiverProblem {
    static func connect(_ failure: ConnectFailure) -> TransportProblem {
        switch failure {
        case .dial(.unreachable(.tls(let why))), .tls(let why):
            TransportProblem(.tls(why), "receiver: \(failure)", isRefusal: why.isLasting)
        case .dial: TransportProblem(failure.kind, "receiver: \(failure)")
        }
    }
    static func lost(_ end: ConnectionEnd) -> TransportProblem {
        TransportProblem(.lost(nil), "the connection to the receiver ended (\(end)); we try again", isPassing: true)
    }
    static func malformed(_ what: ReceiverReader.Failure) -> TransportProblem {
        TransportProblem(
            .notTheProtocol,
            "what answers there is no receiver of SIA DC-09 (\(what)); check host, port and tls, and ask the station",
            isRefusal: true)
    }
    static let dialStalled = TransportProblem(
        .noAnswer,
        "the receiver cannot be reached: no answer; check host and port, and whether a firewall blocks them")
    static let unanswered = TransportProblem(
        .unanswered(),
        "the receiver did not answer in time; if that lasts, check account and key with the station: many receivers say "
            + "nothing to a house that they do not know")
    /// The receiver has taken a message, so that only the watch over the house is missing.
    static let pollsUnanswered = TransportProblem(
        .silent,
        "the receiver takes messages and does not answer polls, so it does not notice when the house is gone; ask the "
            + "station whether it takes polls (NULL)", isPassing: true)
    static let pollsRefused = TransportProblem(
        .clock,
        "the receiver takes messages and refuses polls, so it does not notice when the house is gone; ask the station "
            + "whether it takes polls (NULL)", isPassing: true)
    static let wrongEcho = TransportProblem(
        .unexpected, "the receiver confirmed something else than was sent; nothing counts as told. We try again")
    static let unasked = TransportProblem(.unexpected, "the receiver says something without being asked; we try again")
    static let notEncrypted = TransportProblem(
        .unexpected,
        "the receiver's answer is not encrypted as it should be, so anybody may have made it; check the key with the station",
        isRefusal: true)
    static let notFresh = TransportProblem(
        .clock,
        "an answer of the receiver is not of now, so it may be a recorded one: nothing counts as told. If that lasts, compare "
            + "the clocks of box and receiver with the station")
    static let wrongTime = TransportProblem(
        .clock,
        "the receiver takes none of our messages, not at its own time either; check account and key with the station",
        isRefusal: true)
    static let refusesPolls = TransportProblem(
        .clock,
        "the receiver refuses our polls, at its own time, too; alarms are sent to it all the same. Check account and key "
            + "with the station", isRefusal: true)
    static let farTime = TransportProblem(
        .clock,
        "the receiver's clock is more than a day off; tell the station, and look whether this box's clock is right",
        isRefusal: true)
    static let notComputed = TransportProblem(
        .notComputed, "a message for the receiver could not be encrypted; check the key", isRefusal: true)
}

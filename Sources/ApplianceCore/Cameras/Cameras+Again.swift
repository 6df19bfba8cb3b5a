import AlarmModel
import PhoneProtocol

/// Pictures that are kept here, told once more to a phone that asks: the topic server has them for some hours only.
///
/// One phone at a time is served, and an alarm ends that: its own pictures go first.
extension Cameras {
    /// A phone's request that the taker of pictures is at work for.
    struct Again: Codable, Equatable, Sendable {
        var wish: PictureWish
        /// The cameras of the pictures that it was told of.
        var told: [String] = []
    }

    /// Requests that are looked at in a day, of all phones.
    static let requestsADay = 20
    /// Pictures that are told for one request; the oldest go.
    static let picturesAtOnce = 6
    /// A picture's time lies within these of its alarm's: it was asked for at the trigger, 2 and 10 s later.
    static let earliest = Duration.seconds(-5)
    static let latest = Duration.seconds(20)
    /// Of `uploadsADay`: the file, and the message to the one phone.
    private static let uploadsOfOne = 2

    /// Pictures that the day still allows. The second half of its uploads is kept for alarms to come.
    private var picturesLeft: Int { max(0, Self.uploadsADay / 2 - uploadsToday) / Self.uploadsOfOne }

    mutating func asked(_ wish: PictureWish, _ around: CameraSurroundings, _ step: inout Step) {
        turnDay(step)
        if let why = refusal(of: wish, around, step) { return answer(Again(wish: wish), why, &step) }
        requestsToday = (requestsToday ?? 0) + 1
        begin(.again(Again(wish: wish)), step)
    }

    private func refusal(of wish: PictureWish, _ around: CameraSurroundings, _ step: Step) -> PictureRefusal? {
        guard let phone = step.book.phone(wish.phone), phone.roles.contains(.view), !phone.isSuspended else {
            return .role
        }
        guard step.configuration.cameras?.goToApp ?? false, sealedUpload(step) != nil else { return .off }
        if around.isMetered { return .metered }
        guard step.life == .running, planned.isEmpty, talks.isEmpty else { return .busy }
        return requestsToday ?? 0 < Self.requestsADay && picturesLeft > 0 ? nil : .limit
    }

    /// What the taker of pictures is to look for.
    func order(for again: Again, _ settings: CameraSettings, _ around: CameraSurroundings, _ step: Step)
        -> PictureRequest.Again
    {
        var order = PictureRequest.Again(
            from: again.wish.time + Self.earliest, until: again.wish.time + Self.latest,
            most: min(Self.picturesAtOnce, picturesLeft), cameras: settings.cameras.map(\.name))
        order.uploads = [sealedUpload(step)].compactMap { $0 }
        order.authorities = settings.authorities ?? PictureAuthorities()
        order.link = around.linkName
        return order
    }

    /// A picture lies at the topic server anew: the phone that asked is told, and nobody else.
    mutating func sealedAgain(_ reference: PictureReference, _ again: inout Again, _ step: inout Step) {
        // What comes back is a file's name.
        guard Camera.isName(reference.camera), again.told.count < Self.picturesAtOnce, picturesLeft > 0,
            let phone = step.book.phone(again.wish.phone)
        else { return }
        uploadsToday += Self.uploadsOfOne
        again.told.append(reference.camera)
        var picture = reference
        picture.alarm = again.wish.alarm
        let who = step.book.actor(phone).words
        let words = "A picture of the camera '\(picture.camera)' goes again to \(who), who asked."
        step.announce(step.event(.info, .camera, words), to: .apps(only: phone.id), picture: picture)
    }

    /// An alarm's own pictures go first.
    mutating func giveWay(_ step: inout Step) {
        guard !planned.isEmpty else { return }
        for talk in talks {
            guard case .again(let again) = talk.task else { continue }
            hangUp(talk)
            answer(again, .busy, &step)
        }
    }

    mutating func ended(_ again: Again, _ answer: PictureAnswer, _ step: inout Step) {
        switch answer {
        case .kept, .sealed: break
        case .done: self.answer(again, .notKept, &step)
        case .failed(let why), .unsent(let why):
            let words = PeerText.printable(why, limit: 300)
            step.log(LogEntry(.warning, "pictures that a phone asked for again could not all be sent: \(words)"))
            self.answer(again, .failed, &step)
        }
    }

    /// - Parameter why: nothing was told because of it; where something was, that is the answer
    private func answer(_ again: Again, _ why: PictureRefusal, _ step: inout Step) {
        let rows = again.told.map { JSON.object([JSON.Member(key: "camera", value: .string($0))]) }
        let answer = BoxMessage.list(
            "pictures", rid: again.wish.rid, rows: rows, why: rows.isEmpty ? why.rawValue : nil)
        step.tell(again.wish.phone, answer)
    }
}

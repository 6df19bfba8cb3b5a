import AlarmModel
public import PhoneProtocol

/// The pictures of an alarm that a phone has asked for once more, because the topic server has them no longer, and what the
/// box says to that.
public struct PicturesAnswer: Equatable, Sendable {
    /// What was asked for.
    public struct Wish: Equatable, Sendable {
        /// Of the alarm, as its row has it: seconds since 1970, by the clock of the box.
        public var time: Int64
        /// `u` of the alarm, where it has one.
        public var mark: String?

        /// Its members are named as the properties; nil when it is none.
        package init?(form: JSON) {
            guard let time = form["time"]?.integerValue, (0...1 << 36).contains(time) else { return nil }
            self.time = time
            guard let mark = form["mark"], !mark.isNull else { return }
            guard let mark = mark.stringValue, UnstoredMark(mark) != nil else { return nil }
            self.mark = mark
        }
    }

    public enum Outcome: Equatable, Sendable {
        /// So many pictures come, or have come: each as `PhoneAction.picture`.
        case sent(Int)
        case refused(PictureRefusal)
        /// The box has said nothing in time.
        case unanswered
    }

    public var wish: Wish
    public var outcome: Outcome

    /// The members of the wish, and `sent` or `why`.
    package var form: JSON {
        let count: Int?
        let why: String?
        switch outcome {
        case .sent(let sent): (count, why) = (sent, nil)
        case .refused(let refusal): (count, why) = (nil, refusal.rawValue)
        case .unanswered: (count, why) = (nil, "silent")
        }
        return .object([
            "time": .integer(wish.time), "mark": .optional(wish.mark), "sent": .optional(count), "why": .optional(why),
        ])
    }
}

extension PairedPhone {
    /// Asks for what is kept of an alarm. What comes of it is told as `PhoneAction.answered`, always: at the latest after
    /// `OpenRequest.picturePatience`. One at a time; another is answered as busy.
    public mutating func askForPictures(
        _ wish: PicturesAnswer.Wish, at time: PhoneTime, into actions: inout [PhoneAction]
    ) {
        var arguments = Arguments(["t": "\(wish.time)"])
        if let mark = wish.mark { arguments.pairs.append(Arguments.Pair(key: "u", value: mark)) }
        if secrets == nil {
            tell(wish, .unanswered, &actions)
        } else if !ask(.picture, arguments, pictures: wish, at: time, &actions) {
            tell(wish, .refused(.busy), &actions)
        }
        work(at: time, &actions)
    }

    /// The answer to a request for pictures; false: it is to none.
    mutating func take(pictures message: BoxMessage, _ actions: inout [PhoneAction]) -> Bool {
        guard let index = requests.firstIndex(where: { $0.kind == .picture && $0.rid == message.rid }),
            let wish = requests[index].pictures, message.content.text("what") == "pictures"
        else { return false }
        let rows = message.content.text("rows").flatMap { try? JSON(parsing: $0) }?.arrayValue ?? []
        requests.remove(at: index)
        if let why = message.content.text("why") {
            // A box that is newer may have other reasons.
            tell(wish, .refused(PictureRefusal(rawValue: why) ?? .failed), &actions)
        } else {
            tell(wish, .sent(rows.count), &actions)
        }
        return true
    }

    func tell(_ wish: PicturesAnswer.Wish, _ outcome: PicturesAnswer.Outcome, _ actions: inout [PhoneAction]) {
        actions.append(.answered(PicturesAnswer(wish: wish, outcome: outcome)))
    }
}

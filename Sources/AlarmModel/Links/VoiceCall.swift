/// Names a telephone call. Whoever has people called chooses the numbers, each once.
package struct CallID: Codable, Equatable, Sendable {
    package var number: UInt64

    package init(_ number: UInt64) { self.number = number }
}

/// What is spoken to whoever takes a call.
package struct SpokenWords: Codable, Equatable, Sendable {
    package var text: String
    package var language: NoticeLanguage

    package init(_ text: String, in language: NoticeLanguage) {
        self.text = text
        self.language = language
    }
}

/// What the modem tells of a call that it makes.
package enum VoiceCallFact: Codable, Equatable, Sendable {
    /// Somebody has taken it, or a mailbox. Some modems say so as soon as they have dialed.
    case answered
    /// They pressed a key. Which does not matter, and somebody might type a code. Only few modems hear any.
    case keyPressed
    /// Our words could not be spoken, or not to their end: the modem carries no sound, or nothing here speaks.
    case unspoken(ModemFailure)
    /// It could not send this tone of ours.
    case toneFailed(ModemFailure)
    /// It is over: they have hung up, nobody took it in the network's time, or the number is busy.
    case ended
    /// It could not be made, or broke off.
    case failed(ModemFailure)
}

/// What a `PairedPhone` wants its app to do, in this order.
public enum PhoneAction: Equatable, Sendable {
    /// Store the memory durably before doing what follows: a counter must never be used twice.
    case store
    /// Send these bytes to the box, now or never (time to live 0).
    case send([UInt8])
    /// Have these bytes signed with key 1 or 2, which answers later, and bring the signature by `PairedPhone.signed`.
    case sign(CommandRecord.ID, key: UInt8, [UInt8])
    /// A new event; without sound when it is a repeat.
    case arrived(HouseEvent)
    /// An event that had arrived without a number is a row now, as the log has it. No sound.
    case numbered(HouseEvent)
    /// Rows, the state or the contact have changed: draw again.
    case changed
    /// The box was silent for too long, also when it was asked: raise an alert. The last contact, in seconds since 1970
    /// by the phone's clock. Said once; the end of it is `heardAgain`.
    case overdue(since: Int64)
    /// The box lives; it had been silent since then.
    case heardAgain(since: Int64)
    /// A list that was asked for is here, whole.
    case listed(BoxList)
    /// The box tells where a picture lies. It may come before the rows that it belongs to.
    case picture(HousePicture)
    /// What the box says to a request for pictures.
    case answered(PicturesAnswer)
    /// The outcome of a command is known, or it has changed.
    case command(CommandRecord)
    /// The digits were typed at the box.
    case welcomed
    /// The box has ended the pairing: wipe the secrets from the key chain and say so.
    case left
}

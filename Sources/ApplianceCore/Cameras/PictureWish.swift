import AlarmModel
import PhoneProtocol

/// The request `picture` of a paired phone: the pictures that are kept of an alarm, told to it once more (docs/pairing.md
/// 7.1).
struct PictureWish: Codable, Equatable, Sendable {
    var phone: PhoneID
    var rid: [UInt8]
    /// Of the alarm, as its row has it.
    var time: WallTime
    /// Of the alarm, where it has one.
    var alarm: UnstoredMark?

    /// Seconds since 1970: from its first minute on for some thousand years.
    private static let times: ClosedRange<Int64> = 60...1 << 36

    /// nil when its arguments do not make sense.
    init?(_ request: PhoneRequest, by phone: PhoneID) {
        guard let seconds = request.arguments["t"].flatMap({ Int64($0) }), Self.times.contains(seconds) else {
            return nil
        }
        self.phone = phone
        rid = request.rid
        time = WallTime(milliseconds: seconds * 1000)
        guard let mark = request.arguments["u"] else { return }
        guard let mark = UnstoredMark(mark) else { return nil }
        alarm = mark
    }
}

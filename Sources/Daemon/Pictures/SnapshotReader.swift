import AlarmModel
import PhoneLink

/// What a camera's answer comes to. A value: bytes go in, at most one verdict comes out.
///
/// Guarantees: it keeps at most `limit` bytes of a body, whatever is sent; a picture is accepted if it begins and ends as
/// JPEG says, and is never decoded.
struct SnapshotReader {
    enum Verdict: Equatable {
        case picture([UInt8])
        /// It wants to know who asks.
        case challenged([HTTPChallenge])
        case refused(SnapshotFault)
    }

    /// Bytes of a picture.
    static let limit = PictureReference.longestPicture
    static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF]

    private var reader: HTTPResponseReader
    private var body: [UInt8] = []
    private var isOver = false

    init() {
        var limits = HTTPResponseReader.Limits()
        limits.bodyBytes = Self.limit
        reader = HTTPResponseReader(limits: limits)
    }

    /// - Returns: once; nil: more has to come
    mutating func append(_ bytes: [UInt8]) -> Verdict? {
        guard !isOver else { return nil }
        reader.append(bytes)
        while let event = reader.next() {
            if let verdict = take(event) {
                isOver = true
                return verdict
            }
        }
        return nil
    }

    /// The connection has ended.
    ///
    /// - Parameter isOrderly: the camera closed it, which ends an answer without a length
    mutating func finish(isOrderly: Bool) -> Verdict? {
        guard !isOver else { return nil }
        isOver = true
        guard isOrderly, let event = reader.finish() else { return .refused(.http(.cutOff)) }
        return take(event) ?? .refused(.http(.cutOff))
    }

    private mutating func take(_ event: HTTPResponseReader.Event) -> Verdict? {
        switch event {
        case .head(let head):
            switch head.status {
            case 200: return nil
            case 401: return .challenged(HTTPChallenge.all(in: head))
            case 300...399: return .refused(.redirect)
            default: return .refused(.status(head.status))
            }
        case .body(let piece):
            body += piece
            // What is no picture need not be read to its end.
            guard !Self.jpeg.starts(with: body.prefix(3)), !body.starts(with: Self.jpeg) else { return nil }
            return .refused(.notJPEG)
        case .end:
            guard body.starts(with: Self.jpeg) else { return .refused(.notJPEG) }
            return JPEGEnd.isWhole(body) ? .picture(body) : .refused(.notWhole)
        case .failed(.bodyTooLong): return .refused(.tooLong)
        case .failed(let error): return .refused(.http(error))
        }
    }
}

/// Why a camera gave no picture. Texts go on after "No picture of the camera is kept:".
enum SnapshotFault: Error, Equatable, CustomStringConvertible {
    /// Name, network, encryption or time.
    case unreachable(String)
    case loginMissing
    case loginRefused
    /// It asks for the password as it is, without encryption.
    case plainBasic
    case unknownLogin
    case redirect
    case status(Int)
    case notJPEG
    /// The beginning of a JPEG picture, without its end.
    case notWhole
    case tooLong
    case http(HTTPError)
    case request(HTTPRequestError)

    var description: String {
        switch self {
        case .unreachable(let why): why
        case .loginMissing: "it wants a user and a password; write 'user' and 'password' for it into 'cameras'"
        case .loginRefused: "it refuses the user or the password; check them in 'cameras'"
        case .plainBasic:
            "it wants the password without encryption; use its https address, or allow it with 'plain_basic: true'"
        case .unknownLogin: "it wants a login that is not spoken here; switch it to Digest or Basic at the camera"
        case .redirect:
            "it answered that the picture is elsewhere, which is not followed; write that address into 'url'"
        case .status(let status): "it answered \(status); check 'url' in 'cameras'"
        case .notJPEG: "what it gave is no JPEG picture; check 'url' in 'cameras'"
        case .notWhole:
            "its picture breaks off before the end; restart the camera, and look at its cable or Wi-Fi"
        case .tooLong:
            "its picture has more than \(SnapshotReader.limit / 1000) kB; choose its smaller stream or a lower quality"
        case .http(let error): error.description
        case .request(let error): error.description
        }
    }
}

import AlarmModel
import PhoneLink
import PhoneProtocol

/// The first byte says what the rest is: an answer of FCM, one of the sign-in, a change of the database or the file of
/// a service account. Whatever it is, there are printable words for it and nothing beyond its bounds.
func checkFCM(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    let statuses = [200, 302, 400, 401, 403, 404, 429, 500, 503]
    let status = statuses[Int(first / 4) % statuses.count]
    switch first % 4 {
    case 0:
        guard let error = FCMError(status: status, body: rest, retryAfter: nil) else {
            return require(status == 200, "only 200 is an acceptance")
        }
        requirePrintable(error.description, "a refusal")
    case 1:
        let now = Moment(boot: .zero, wall: WallTime(milliseconds: 1_700_000_000_000), isWallTrusted: first & 128 == 0)
        requirePrintable(
            AccessTokenProblem(status: status, body: rest, date: nil, at: now).description, "a refused sign-in")
        var token = AccessToken()
        if token.granted(rest, at: .zero) {
            require(token.bearer(at: .zero)?.revealed.isEmpty == false, "a granted token is one")
            require(token.renewAt.map { $0 > .zero } == true, "a token is not renewed at once")
        }
    case 2:
        switch DatabaseChange(event: first & 64 == 0 ? "put" : "patch", data: String(decoding: rest, as: UTF8.self)) {
        case .children(let children): for child in children { checkChild(child) }
        case .part(let child): checkChild(child)
        case .keepAlive, .cancelled, .authRevoked: require(false, "these are not changes")
        case .meaningless(let what): requirePrintable(what, "an odd change")
        }
    default:
        do throws(ServiceAccountError) {
            let account = try ServiceAccount(parsing: rest)
            require(account.tokenURL.isEncrypted, "sign-in is encrypted")
        } catch {
            requirePrintable(error.description, "a bad file")
        }
    }
}

private func checkChild(_ child: DatabaseChange.Child) {
    require((1...DatabaseChange.keyLimit).contains(child.key.utf8.count), "a key is bounded")
    require(!child.key.contains("/") && !child.key.contains("."), "a key leads nowhere else")
    let members = child.data?.objectValue ?? []
    require(members.allSatisfy { $0.value.stringValue != nil }, "a message holds strings")
}

private func requirePrintable(_ text: String, _ what: String) {
    require(text.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) || $0 == "…" }, "\(what) is printable")
    require(text.utf8.count < 1000, "\(what) is said in few words")
}

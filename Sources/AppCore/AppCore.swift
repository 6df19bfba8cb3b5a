import Companion
package import PhoneProtocol

// AppCore: Companion for a web page, behind calls in JSON.
//
// For:        one house of the web app: pairing, what came, what is to be sent, stored and shown.
// Guarantees: no I/O and no clock; the same calls with the same random bytes give the same answers; an input that makes
//             no sense gives `error`, a sentence for the screen, and changes nothing.
// Knows not:  screens, push services, storage, keys that sign: those are the browser's own.

/// One house. A call is an object with `do`, `wall` (seconds since 1970) and `up` (milliseconds, never stepping); all
/// bytes are base64url without padding; what is unknown or nil is left out.
///
/// | do | takes | gives |
/// |---|---|---|
/// | pair | code, name, topic `host/topic`, key1 (65 bytes, P-256), algorithm2 0, 2 or 3, key2 (none for 0), rp and origin (for 3) | frame, servers [{kind, place}], topicUp, topicDown, next |
/// | pairFrame | e | digits and site, or nothing of both; next |
/// | pairTimer | | frame (send it again) or failed (a sentence); next |
/// | keep | (once there are digits) | secrets, memory: store both. The house is open then |
/// | open | secrets, memory, rows (in any order) | actions, next |
/// | received | e (anything that came as such, also by push) | actions, next |
/// | reachable, timer, prepare, fill | | actions, next |
/// | give | command | id, actions, next |
/// | signed | id, signature (null: the owner did not sign) | actions, next |
/// | address | kind, value | actions, next |
/// | list | list: names, phones, channels | actions, next |
/// | picture | time and mark (null: none) of an alarm: its pictures once more | actions, next |
/// | view | | see below |
/// | rows | before (a key), max, text, type | rows, newest first; more (whether there are others) |
///
/// `next` is the `up` at which `timer` (or `pairTimer`) wants to be called; left out: not by itself.
///
/// **Actions**, in their order, each with `a`: `store` (memory, rows: put both away durably before doing what follows;
/// at most one in a call) · `send` (e) · `sign` (id, key 1 or 2, algorithm, bytes: have them signed and call `signed`
/// within 45 s) · `arrived` (event; quiet: no sound) · `changed` (draw again) · `overdue` (since) · `heardAgain` (since)
/// · `listed` (list, rows as the box tells them, refused: it wants another role) · `picture` (picture: position of the row
/// that tells of it, mark of the alarm, timestamp, camera, url, key, hash, bytes, expires) · `answered` (time, mark: of a call `picture`; sent:
/// so many pictures, or why: a `PictureRefusal`, or silent) · `command` (command) · `welcomed` · `left` (forget the secrets).
///
/// **A signature** is r ‖ s of 64 bytes (algorithm 2); of algorithm 3, whose challenge is the SHA-256 of the bytes, it is
/// lp8(authenticatorData) ‖ lp16(clientDataJSON) ‖ lp8(DER signature), where lp8 and lp16 are a length of one and of two
/// bytes before them.
///
/// **A row**: key (sorts as the log does: `log.seq`; `u.mark` without a number), position {log, seq}, mark, type, code,
/// raw, message, timestamp, partition, zone, zoneName, kind, state, recovers, command, isRepeat. Those of a `store` are
/// new and never change; rows without a number lie in the memory. `open` wants the newest 5 000 at least: older ones are
/// not asked for again.
///
/// **A command** to `give`: {verb: arm, partition, mode: away | stay | zero-entry, force} · {verb: disarm, partition} ·
/// {verb: bypass, zone, on} · {verb: panic, kind: fire | ambulance | police} · {verb: output, partition, number} ·
/// {verb: chime, partition, on} · {verb: suspend, phone} · {verb: leave} · {verb: seen, log, seq}. As it is told: id, command, counter, time, outcome
/// (pending, ok, denied, failed, expired, timeout), why.
///
/// **The view**: site, name, phone, roles, welcomed, left, partitions [{number, arming: d disarmed, s stay, a away, n no
/// entry delay, x exit delay, e entry delay; isReady, isInAlarm, trouble, openZones, bypassedZones}], stale, asOf,
/// position, lastContact, heartbeat, overdueSince, boot (counts the starts of the box: names may change with each),
/// twoBoxes (a sentence), commands (oldest first), cmds [{kind, text}], vapid, pushGone (the box says that this phone's
/// subscription has ended), gaps (rows that are missing), newest (number of the newest row).
package struct AppCore<C: Crypto> {
    let crypto: C
    var pairing: PhonePairing<C>?
    /// Of the pairing that is under way, or of the house.
    var signers: PhoneSigners?
    var phone: PairedPhone<C>?

    package init(crypto: C) { self.crypto = crypto }

    /// Far above a house with 100 000 rows.
    private static var limits: JSON.Limits { JSON.Limits(depth: 16, bytes: 1 << 27) }

    package mutating func call(_ input: [UInt8]) -> [UInt8] {
        do throws(AppProblem) {
            return try answer(input).utf8
        } catch {
            return JSON.object(["error": .string(error.description)]).utf8
        }
    }

    private mutating func answer(_ input: [UInt8]) throws(AppProblem) -> JSON {
        let call: JSON
        do throws(JSONError) {
            call = try JSON(parsing: input, limits: Self.limits)
        } catch {
            throw .call("\(error)")
        }
        guard let verb = call["do"]?.stringValue, let wall = call["wall"]?.integerValue,
            let uptime = call["up"]?.integerValue, Self.isTime(wall, uptime)
        else { throw .call("do, wall or up is missing") }
        let time = PhoneTime(uptime: uptime, wall: wall)
        switch verb {
        case "pair": return try pair(call, at: time)
        case "pairFrame": return try pairFrame(call)
        case "pairTimer": return try pairTimer(at: time)
        case "keep": return try keep()
        case "open": return try open(call, at: time)
        case "view": return try view(at: time)
        case "rows": return try rows(call)
        case _: return try act(verb, call, at: time)
        }
    }

    /// What the sums over times can hold by far.
    private static func isTime(_ wall: Int64, _ uptime: Int64) -> Bool {
        (0...1 << 40).contains(wall) && (0...1 << 50).contains(uptime)
    }

    private mutating func act(_ verb: String, _ call: JSON, at time: PhoneTime) throws(AppProblem) -> JSON {
        guard var house = phone else { throw .notOpen }
        var actions: [PhoneAction] = []
        var id: Int64?
        // What cannot be read changes nothing. The house is moved out and in again, so that the log is not copied.
        let order = try AppOrder(verb, call)
        phone = nil
        switch order {
        case .received(let bytes): house.received(bytes, at: time, into: &actions)
        case .reachable: house.becameReachable(at: time, into: &actions)
        case .timer: house.timerFired(at: time, into: &actions)
        case .prepare: house.prepareCommand(at: time, into: &actions)
        case .fill: house.fillGaps(at: time, into: &actions)
        case .give(let command): id = house.give(command, at: time, into: &actions)
        case .signed(let command, let signature): house.signed(command, signature, at: time, into: &actions)
        case .address(let address): house.addressChanged(to: address, at: time, into: &actions)
        case .list(let name): house.askForList(name, at: time, into: &actions)
        case .picture(let wish): house.askForPictures(wish, at: time, into: &actions)
        }
        phone = house
        return .object([
            "id": id.map { .integer($0) }, "actions": told(actions, of: house),
            "next": house.nextDeadline.map { .integer($0) },
        ])
    }
}

/// What a call orders of an open house.
enum AppOrder {
    case received([UInt8])
    case reachable
    case timer
    case prepare
    case fill
    case give(HouseCommand)
    case signed(Int64, [UInt8]?)
    case address(ContactAddress)
    case list(BoxList.Name)
    case picture(PicturesAnswer.Wish)

    init(_ verb: String, _ call: JSON) throws(AppProblem) {
        switch verb {
        case "received": self = .received(try call.bytes("e"))
        case "reachable": self = .reachable
        case "timer": self = .timer
        case "prepare": self = .prepare
        case "fill": self = .fill
        case "give":
            guard let command = call["command"].flatMap({ HouseCommand(form: $0) }) else {
                throw .call("this is no command")
            }
            self = .give(command)
        case "signed":
            guard let id = call["id"]?.integerValue, let signature = call["signature"] else {
                throw .call("id or signature is missing")
            }
            self = .signed(id, signature.isNull ? nil : try call.bytes("signature"))
        case "address":
            guard let address = ContactAddress(form: call) else { throw .call("this is no address") }
            self = .address(address)
        case "list":
            guard let name = BoxList.Name(rawValue: try call.text("list")) else { throw .call("this is no list") }
            self = .list(name)
        case "picture":
            guard let wish = PicturesAnswer.Wish(form: call) else { throw .call("these are no time and mark") }
            self = .picture(wish)
        case _: throw .call("'\(verb)' is no call")
        }
    }
}

/// Why a call was not done; the text is for the screen.
enum AppProblem: Error, CustomStringConvertible {
    /// The page and its core do not understand each other.
    case call(String)
    case notOpen
    case notStored
    case noDigits
    /// The pairing says why.
    case pairing(PairingProblem)

    var description: String {
        switch self {
        case .call(let what): "The page and its core do not fit together (\(what)). Load the page again."
        case .notOpen: "No house is open. Load the page again."
        case .notStored: "What was stored of this house cannot be read. Pair this phone again."
        case .noDigits: "The pairing is not so far. Make a new code at the box and try again."
        case .pairing(let problem): "\(problem)"
        }
    }
}

extension JSON {
    func bytes(_ key: String) throws(AppProblem) -> [UInt8] {
        guard let text = self[key]?.stringValue, let bytes = try? Base64URL.decode(text) else {
            throw .call("'\(key)' is not there, or no base64url")
        }
        return bytes
    }

    func text(_ key: String) throws(AppProblem) -> String {
        guard let text = self[key]?.stringValue else { throw .call("'\(key)' is missing") }
        return text
    }

    static func base64(_ bytes: [UInt8]) -> JSON { .string(Base64URL.encode(bytes)) }
}

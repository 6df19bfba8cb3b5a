import Companion
import PhoneProtocol

extension AppCore {
    /// The first `store` stands for all: it holds the memory after the call, which is more than the page needs to have
    /// stored before any of the other actions.
    func told(_ actions: [PhoneAction], of house: PairedPhone<C>) -> JSON {
        var rows: [JSON] = []
        for action in actions {
            switch action {
            case .arrived(let event): if event.position != nil { rows.append(event.row) }
            case .numbered(let event): rows.append(event.row)
            case .store, .send, .sign, .changed, .overdue, .heardAgain, .listed, .picture, .answered, .command,
                .welcomed, .left:
                continue
            }
        }
        var told: [JSON] = []
        var isStored = false
        for action in actions {
            switch action {
            case .store:
                guard !isStored else { continue }
                isStored = true
                told.append(
                    Self.action(
                        "store", ["memory": .string(house.memory.form.text), "rows": .array(rows)]))
            case .send(let bytes): told.append(Self.action("send", ["e": .base64(bytes)]))
            case .sign(let id, let key, let bytes):
                let algorithm = key == 2 ? signers?.key2?.algorithm : signers?.key1.algorithm
                told.append(
                    Self.action(
                        "sign",
                        [
                            "id": .integer(id), "key": .integer(Int64(key)),
                            "algorithm": .integer(Int64(algorithm?.rawValue ?? 0)), "bytes": .base64(bytes),
                        ]))
            case .arrived(let event):
                told.append(Self.action("arrived", ["event": event.row, "quiet": .bool(event.isRepeat)]))
            case .numbered: continue
            case .changed: told.append(Self.action("changed", [:]))
            case .overdue(let since): told.append(Self.action("overdue", ["since": .integer(since)]))
            case .heardAgain(let since): told.append(Self.action("heardAgain", ["since": .integer(since)]))
            case .listed(let list):
                told.append(
                    Self.action(
                        "listed",
                        [
                            "list": .string(list.name.rawValue), "rows": .array(list.rows.map { $0.form }),
                            "refused": .bool(list.isRefused),
                        ]))
            case .picture(let picture): told.append(Self.action("picture", ["picture": picture.form]))
            case .answered(let answer):
                let members = answer.form.objectValue ?? []
                told.append(.object([JSON.Member(key: "a", value: .string("answered"))] + members))
            case .command(let record): told.append(Self.action("command", ["command": record.form]))
            case .welcomed: told.append(Self.action("welcomed", [:]))
            case .left: told.append(Self.action("left", [:]))
            }
        }
        return .array(told)
    }

    private static func action(_ name: String, _ members: KeyValuePairs<String, JSON>) -> JSON {
        .object(
            [JSON.Member(key: "a", value: .string(name))]
                + members.map { JSON.Member(key: $0.key, value: $0.value) })
    }

    func view(at time: PhoneTime) throws(AppProblem) -> JSON {
        guard let house = phone else { throw .notOpen }
        let memory = house.memory
        let view = memory.view
        let text: (String?) -> JSON? = { $0.map { .string($0) } }
        let number: (Int64?) -> JSON? = { $0.map { .integer($0) } }
        return .object([
            "site": .string(memory.siteName), "name": .string(memory.name), "phone": text(house.secrets?.phone),
            "roles": .array((memory.roles ?? []).map { .string($0) }), "welcomed": .bool(memory.roles != nil),
            "left": .bool(memory.hasLeft), "partitions": view.state.map { .array($0.partitions.map { $0.form }) },
            "stale": .bool(view.isStale(at: time)), "asOf": number(view.asOf), "position": view.position?.form,
            "lastContact": number(view.lastContact), "heartbeat": number(view.heartbeat),
            "overdueSince": number(view.overdueSince), "boot": number(view.boot),
            "twoBoxes": view.isTwoBoxes ? .string(HouseView.twoBoxesText) : nil,
            "commands": .array(memory.commands.map { $0.form }), "cmds": Self.addresses(memory.commandAddresses),
            "vapid": text(memory.pushKey), "pushGone": .bool(house.isPushGone),
            "gaps": .integer(memory.log.missingCount), "newest": .integer(memory.log.newest),
        ])
    }

    /// As the box wrote them: [{"k": kind, "v": text}].
    private static func addresses(_ text: String?) -> JSON {
        let list = text.flatMap { try? JSON(parsing: $0) }?.arrayValue ?? []
        return .array(
            list.compactMap { entry in
                guard let kind = entry["k"]?.stringValue.flatMap({ Int64($0) }), let text = entry["v"]?.stringValue
                else { return nil }
                return .object(["kind": .integer(kind), "text": .string(text)])
            })
    }

    func rows(_ call: JSON) throws(AppProblem) -> JSON {
        guard let log = phone?.memory.log else { throw .notOpen }
        let most = max(1, min(1000, call["max"]?.integerValue ?? 50))
        let words = call["text"]?.stringValue.map { Array($0.lowercased().utf8) } ?? []
        let type = call["type"]?.stringValue
        var before = call["before"]?.stringValue
        var found: [JSON] = []
        for list in [log.rows] + log.archive.reversed().map({ $0.events }) {
            for event in list.reversed() {
                if let key = before {
                    if event.key == key { before = nil }
                    continue
                }
                guard type.map({ $0 == event.type }) ?? true, event.speaks(of: words) else { continue }
                guard found.count < most else { return .object(["rows": .array(found), "more": .bool(true)]) }
                found.append(event.row)
            }
        }
        return .object(["rows": .array(found), "more": .bool(false)])
    }
}

extension BoxList.Row {
    fileprivate var form: JSON { .object(fields.map { JSON.Member(key: $0.name, value: .string($0.value)) }) }
}

extension HouseEvent {
    /// Its form with its key in front.
    fileprivate var row: JSON {
        .object([JSON.Member(key: "key", value: .string(key))] + (form.objectValue ?? []))
    }

    /// Whether message, zone or code have these bytes, which are in lower case. Nothing is everywhere.
    fileprivate func speaks(of words: [UInt8]) -> Bool {
        guard !words.isEmpty else { return true }
        return [message, zoneName ?? "", code].contains { text in
            let text = Array(text.lowercased().utf8)
            guard text.count >= words.count else { return false }
            return (0...(text.count - words.count)).contains { text[$0...].starts(with: words) }
        }
    }
}

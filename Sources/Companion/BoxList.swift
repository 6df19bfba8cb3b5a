import PhoneProtocol

/// A list that the box tells when it is asked: the names of the house, who has a phone, or the channels and links
/// (docs/pairing.md 6, kind 8).
public struct BoxList: Equatable, Sendable {
    /// What can be asked for, as it stands in the request.
    public enum Name: String, Codable, Hashable, Sendable, CaseIterable {
        case names, phones, channels
    }
    /// One thing that is listed: fields with their names, in the box's order.
    public struct Row: Equatable, Sendable {
        public var fields: [Field]

        /// nil: the box does not tell.
        public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
    }
    public struct Field: Equatable, Sendable {
        public var name: String
        public var value: String
    }
    public var name: Name
    public var rows: [Row] = []
    /// The box does not tell this phone: it wants another role.
    public var isRefused = false

    /// More than any house has: an end to what a box can make a phone keep.
    static let rowLimit = 1000
}

extension PairedPhone {
    /// Asks for a list; it comes as `PhoneAction.listed`, or not at all when the box does not answer. One at a time.
    public mutating func askForList(_ name: BoxList.Name, at time: PhoneTime, into actions: inout [PhoneAction]) {
        ask(list: BoxList(name: name), from: 0, at: time, &actions)
        work(at: time, &actions)
    }

    private mutating func ask(list: BoxList, from: Int, at time: PhoneTime, _ actions: inout [PhoneAction]) {
        ask(
            .list, Arguments(["what": list.name.rawValue, "from": "\(from)"]), list: list, at: time, &actions)
    }

    /// A page; the next is asked for where there is one.
    mutating func take(list message: BoxMessage, at time: PhoneTime, _ actions: inout [PhoneAction]) {
        let content = message.content
        if take(pictures: message, &actions) { return }
        guard let index = requests.firstIndex(where: { $0.kind == .list && $0.rid == message.rid }),
            var list = requests[index].list, content.text("what") == list.name.rawValue,
            let rows = content.text("rows").flatMap({ try? JSON(parsing: $0) })?.arrayValue
        else { return }
        requests.remove(at: index)
        list.rows += rows.map { BoxList.Row($0) }
        list.isRefused = content.text("why") != nil
        if let more = content.number("more"), more == list.rows.count, !rows.isEmpty, more < BoxList.rowLimit {
            return ask(list: list, from: more, at: time, &actions)
        }
        if list.name == .names, let name = content.text("name") { memory.siteName = name }
        actions += [.store, .listed(list)]
    }
}

extension BoxList.Row {
    /// What is no text is left out.
    fileprivate init(_ json: JSON) {
        fields = (json.objectValue ?? []).compactMap { member in
            member.value.stringValue.map { BoxList.Field(name: member.key, value: $0) }
        }
    }
}

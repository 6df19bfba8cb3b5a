import AlarmModel
import PhoneProtocol

/// Effects as bytes, written by hand: a word for each kind, then its values, each ended by a line end or led by its
/// length.
///
/// What is stored, goes over the control socket or to a phone has a form of its own, which stays the same over
/// versions; it stands here as it is. All else is spelt out. Numbers that the core gives (connections, queries, jobs)
/// stand here in the order in which they are met first, so that another way of numbering changes nothing. Secrets stand
/// here as they are: what is recorded comes from a core that knows placeholders only.
package struct EffectForm {
    private var bytes: [UInt8] = []
    private var numbers = FirstAppearance()

    package init() {}

    /// The daemon starts: it numbers anew.
    package mutating func beginLife() { numbers = FirstAppearance() }

    /// What was written since it was taken last.
    package mutating func takeBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    package mutating func write(_ word: String) {
        bytes += word.utf8
        bytes.append(10)
    }

    mutating func write(_ content: [UInt8]) {
        write("\(content.count)")
        bytes += content
    }

    /// In the form in which it is stored or sent.
    mutating func write(stored value: some Encodable) {
        do {
            write(try JSON.encoding(value).text)
        } catch {
            preconditionFailure("what is stored and sent can be encoded: \(error)")
        }
    }

    package mutating func write(_ effect: Effect) {
        switch effect {
        case .resolve(let id, let name, let link):
            write("resolve \(number(id)) \(name) \(Self.text(link))")
        case .open(let id, let endpoint, let link): write("open \(number(id)) \(endpoint) \(Self.text(link))")
        case .openLocal(let id, let path): write("open-local \(number(id)) \(path)")
        case .startTLS(let id, let name, let file, let time):
            write("start-tls \(number(id)) \(name) \(file ?? "-")\(time.map { " \($0.milliseconds)" } ?? "")")
        case .send(let id, let content):
            write("send \(number(id))")
            write(content)
        case .pause(let id): write("pause \(number(id))")
        case .resume(let id): write("resume \(number(id))")
        case .close(let id): write("close \(number(id))")
        case .commit(let batch): write(batch)
        case .read(let id, let query):
            write("read \(number(id)) after \(query.after.number) before \(query.before?.number ?? -1)")
            write("since \(query.since?.milliseconds ?? -1) types \(query.types.map(\.rawValue))")
            write("zone \(query.zone ?? -1) partition \(query.partition ?? -1) \(query.order.rawValue) \(query.limit)")
        case .readMessages(let id, .open(let addresses, let limit)):
            write("read-messages \(number(id)) open \(addresses.map(\.number)) \(limit)")
        case .readMessages(let id, .dead(let limit)): write("read-messages \(number(id)) dead \(limit)")
        case .vault(let id, let job): write(job, as: numbers[.job, id.number])
        case .compute(let id, let job): write(job, as: numbers[.computation, id.number])
        case .derive(let id, let job): write(job, as: numbers[.derivation, id.number])
        case .locate(let id, let service, let link):
            write("locate \(numbers[.computation, id.number]) \(service) \(Self.text(link))")
        case .setTimer(let id, let time): write("timer \(id.rawValue) \(time?.nanoseconds ?? -1)")
        case .reply(let id, let reply):
            write("reply \(number(id))")
            write(stored: reply)
        case .watchLinks(let names): write("watch-links \(names)")
        case .readLinks: write("read-links")
        case .useNameServers(let servers, let link):
            write("name-servers \(servers.map(\.description)) \(Self.text(link))")
        case .modem(let order): write(order)
        case .notify(let note): write(note)
        case .log(let entry):
            write("log \(entry.level.rawValue) \(entry.message)")
            for field in entry.fields { write("\(field.key)=\(field.value)") }
        case .reboot: write("reboot")
        case .healthy: write("healthy")
        case .update(let bundle, let isOlderConfirmed): write("update \(bundle) \(isOlderConfirmed)")
        case .stick(let request): write("stick \(request.id) \(request.line.task) \(request.line.file ?? "")")
        case .finish(let status): write("finish \(status)")
        }
    }

    private mutating func write(_ note: ServiceNote) {
        switch note {
        case .ready: write("notify ready")
        case .status(let words): write("notify status \(words)")
        case .reloading: write("notify reloading")
        case .stopping: write("notify stopping")
        case .alive: write("notify alive")
        }
    }

    private mutating func write(_ order: ModemOrder) {
        switch order {
        case .find: write("modem find")
        case .unlock(let pin): write("modem unlock \(pin.revealed)")
        case .enable: write("modem enable")
        case .connect(let access):
            write("modem connect \(access.apn) \(access.user ?? "-") \(access.password?.revealed ?? "-")")
            write("\(access.ipType.rawValue) \(access.allowsRoaming)")
        case .disconnect: write("modem disconnect")
        case .reset: write("modem reset")
        case .sendText(let message):
            write("modem text \(numbers[.text, message.id.number]) \(message.number) \(message.text)")
        case .call(let id, let number): write("modem call \(id.number) \(number)")
        case .speak(let id, let words, let socket):
            write("modem speak \(id.number) \(words.language.rawValue) \(socket) \(words.text)")
        case .sendTone(let id, let tone): write("modem tone \(id.number) \(tone)")
        case .hangUp(let id): write("modem hang-up \(id.number)")
        }
    }

    private static func text(_ link: Link) -> String {
        switch link {
        case .any: "any"
        case .interface(let name): "by \(name)"
        }
    }

    mutating func number(_ id: ConnectionID) -> Int { numbers[.connection, id.number] }
    private mutating func number(_ id: ResolveID) -> Int { numbers[.name, id.number] }
    private mutating func number(_ id: QueryID) -> Int { numbers[.query, id.number] }
}

/// Numbers from 1 on, in the order in which things are met.
private struct FirstAppearance {
    enum Kind: Hashable {
        case connection, name, query, job, computation, derivation, text
    }
    private struct Key: Hashable {
        var kind: Kind
        var number: UInt64
    }
    private var met: [Key: Int] = [:]
    private var counts: [Kind: Int] = [:]

    subscript(_ kind: Kind, _ number: UInt64) -> Int {
        mutating get {
            let key = Key(kind: kind, number: number)
            if let known = met[key] { return known }
            let next = counts[kind, default: 0] + 1
            counts[kind] = next
            met[key] = next
            return next
        }
    }
}

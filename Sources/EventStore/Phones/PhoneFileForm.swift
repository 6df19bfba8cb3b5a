import AlarmModel

/// One copy of the phones' file as bytes.
struct PhoneFileForm: Equatable {
    enum Damage: Error, CustomStringConvertible {
        case notOurs, incomplete, changed
        case newerVersion(Int)
        case book(String)

        var description: String {
            switch self {
            case .notOurs: "it is another program's file"
            case .incomplete: "it is incomplete"
            case .changed: "its checksum is wrong"
            case .newerVersion(let version): "it has form \(version), made by a newer program"
            case .book(let why): "its phone book cannot be understood (\(why))"
            }
        }
    }

    var generation: UInt64
    var book: PhoneBook
    var keys: [(PhoneID, [UInt8])]
    var codes: [(PersonID, [UInt8])]

    private static let magic = Array("HAPHONES".utf8)
    /// Without secrets of one-time codes, and with them: what an older program can read it shall read.
    private static let version: UInt16 = 1
    private static let versionWithCodes: UInt16 = 2

    init(generation: UInt64, book: PhoneBook, keys: [(PhoneID, [UInt8])], codes: [(PersonID, [UInt8])] = []) {
        self.generation = generation
        self.book = book
        self.keys = keys
        self.codes = codes
    }

    static func == (a: PhoneFileForm, b: PhoneFileForm) -> Bool {
        a.generation == b.generation && a.book == b.book
            && a.keys.elementsEqual(b.keys) { $0.0 == $1.0 && $0.1 == $1.1 }
            && a.codes.elementsEqual(b.codes) { $0.0 == $1.0 && $0.1 == $1.1 }
    }

    /// Empty when the phone book has no JSON form, which cannot be.
    var bytes: [UInt8] { (try? checkedBytes()) ?? [] }

    func checkedBytes() throws(StoreError) -> [UInt8] {
        let text = Array(try StoredJSON.text(of: book, doing: "storing the phone book").utf8)
        var bytes = Self.magic
        bytes.appendBigEndian(codes.isEmpty ? Self.version : Self.versionWithCodes)
        bytes.appendBigEndian(generation)
        bytes.appendBigEndian(UInt32(clamping: text.count))
        bytes += text
        bytes.appendBigEndian(UInt32(clamping: keys.count))
        for (phone, key) in keys {
            bytes.appendBigEndian(phone.number)
            bytes.appendBigEndian(UInt32(clamping: key.count))
            bytes += key
        }
        if !codes.isEmpty {
            bytes.appendBigEndian(UInt32(clamping: codes.count))
            for (person, secret) in codes {
                bytes.appendBigEndian(Int64(person.number))
                bytes.appendBigEndian(UInt32(clamping: secret.count))
                bytes += secret
            }
        }
        bytes.appendBigEndian(Checksum64.of(bytes))
        return bytes
    }

    init(_ bytes: [UInt8]) throws(Damage) {
        var rest = bytes[...]
        func take(_ count: Int) throws(Damage) -> ArraySlice<UInt8> {
            guard count <= rest.count else { throw .incomplete }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        func number(_ size: Int) throws(Damage) -> UInt64 { try take(size).reduce(0) { $0 << 8 | UInt64($1) } }
        // Four bytes always fit.
        func count() throws(Damage) -> Int { Int(truncatingIfNeeded: try number(4)) }

        guard try take(Self.magic.count).elementsEqual(Self.magic) else { throw .notOurs }
        let version = try number(2)
        guard [Self.version, Self.versionWithCodes].contains(where: { UInt64($0) == version }) else {
            throw .newerVersion(Int(truncatingIfNeeded: version))
        }
        generation = try number(8)
        let text = Array(try take(try count()))
        keys = []
        for _ in 0..<(try count()) {
            let phone = PhoneID(try number(8))
            keys.append((phone, Array(try take(try count()))))
        }
        codes = []
        if version == UInt64(Self.versionWithCodes) {
            for _ in 0..<(try count()) {
                let person = PersonID(Int(truncatingIfNeeded: try number(8)))
                codes.append((person, Array(try take(try count()))))
            }
        }
        let content = bytes.prefix(bytes.count - rest.count)
        guard try number(8) == Checksum64.of(content), rest.isEmpty else { throw .changed }
        let (book, problem) = StoredJSON.value(PhoneBook.self, from: String(decoding: text, as: UTF8.self))
        guard let book else { throw .book(problem ?? "no value") }
        self.book = book
    }
}

/// CRC-64 (ECMA-182, reflected): finds damage, not forgery.
enum Checksum64 {
    static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var sum = UInt64.max
        for byte in bytes {
            sum ^= UInt64(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xC96C_5795_D787_0F42 : sum >> 1 }
        }
        return ~sum
    }
}

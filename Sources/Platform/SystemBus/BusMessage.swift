import CSystemd

/// A message of sd-bus, as values. The pointer is borrowed for the length of the call.
enum BusMessage {
    /// Deeper values than D-Bus allows, or more of them than anybody sends us, are not read.
    private static let depthLimit = 32
    private static let countLimit = 50_000

    /// All arguments from the current place on; nil when they are broken or too many.
    static func read(_ message: OpaquePointer) -> [BusValue]? {
        var count = 0
        return readAll(message, depth: 0, count: &count)
    }

    private static func readAll(_ message: OpaquePointer, depth: Int, count: inout Int) -> [BusValue]? {
        guard depth <= depthLimit else { return nil }
        var values: [BusValue] = []
        while true {
            var type: CChar = 0
            var contents: UnsafePointer<CChar>?
            let result = sd_bus_message_peek_type(message, &type, &contents)
            guard result >= 0 else { return nil }
            if result == 0 { return values }
            count += 1
            guard count <= countLimit,
                let value = readOne(
                    message, UInt8(bitPattern: type), contents.map { String(cString: $0) } ?? "", depth: depth,
                    count: &count)
            else { return nil }
            values.append(value)
        }
    }

    private static func readOne(
        _ message: OpaquePointer, _ type: UInt8, _ contents: String, depth: Int, count: inout Int
    ) -> BusValue? {
        switch Character(Unicode.Scalar(type)) {
        case "b": basic(message, type, Int32(0)).map { .bool($0 != 0) }
        case "y": basic(message, type, UInt8(0)).map { .byte($0) }
        case "n": basic(message, type, Int16(0)).map { .int16($0) }
        case "q": basic(message, type, UInt16(0)).map { .uint16($0) }
        case "i": basic(message, type, Int32(0)).map { .int32($0) }
        case "u": basic(message, type, UInt32(0)).map { .uint32($0) }
        case "x": basic(message, type, Int64(0)).map { .int64($0) }
        case "t": basic(message, type, UInt64(0)).map { .uint64($0) }
        case "d": basic(message, type, Double(0)).map { .double($0) }
        case "s": text(message, type).map { .string($0) }
        case "o": text(message, type).map { .objectPath($0) }
        case "g": text(message, type).map { .signature($0) }
        case "v": inside(message, type, contents, depth: depth, count: &count)?.first.map { .variant($0) }
        case "r", "(": inside(message, UInt8(ascii: "r"), contents, depth: depth, count: &count).map { .tuple($0) }
        case "a": array(message, contents, depth: depth, count: &count)
        default: sd_bus_message_skip(message, nil) >= 0 ? .unread(String(Character(Unicode.Scalar(type)))) : nil
        }
    }

    private static func array(
        _ message: OpaquePointer, _ contents: String, depth: Int, count: inout Int
    ) -> BusValue? {
        guard contents.hasPrefix("{"), contents.hasSuffix("}") else {
            return inside(message, UInt8(ascii: "a"), contents, depth: depth, count: &count)
                .map { .array(of: contents, $0) }
        }
        // A key is always one letter.
        let inner = String(contents.dropFirst().dropLast())
        guard let key = inner.first.map(String.init),
            sd_bus_message_enter_container(message, CChar(bitPattern: UInt8(ascii: "a")), contents) >= 0
        else { return nil }
        var entries: [BusValue.Entry] = []
        while true {
            let result = sd_bus_message_enter_container(message, CChar(bitPattern: UInt8(ascii: "e")), inner)
            guard result >= 0 else { return nil }
            if result == 0 { break }
            guard let pair = readAll(message, depth: depth + 1, count: &count), pair.count == 2,
                sd_bus_message_exit_container(message) >= 0
            else { return nil }
            entries.append(BusValue.Entry(pair[0], pair[1]))
        }
        guard sd_bus_message_exit_container(message) >= 0 else { return nil }
        return .dictionary(key: key, value: String(inner.dropFirst()), entries)
    }

    private static func inside(
        _ message: OpaquePointer, _ type: UInt8, _ contents: String, depth: Int, count: inout Int
    ) -> [BusValue]? {
        guard sd_bus_message_enter_container(message, CChar(bitPattern: type), contents) >= 0,
            let values = readAll(message, depth: depth + 1, count: &count),
            sd_bus_message_exit_container(message) >= 0
        else { return nil }
        return values
    }

    private static func basic<Value: BitwiseCopyable>(_ message: OpaquePointer, _ type: UInt8, _ zero: Value) -> Value?
    {
        var value = zero
        return sd_bus_message_read_basic(message, CChar(bitPattern: type), &value) > 0 ? value : nil
    }

    private static func text(_ message: OpaquePointer, _ type: UInt8) -> String? {
        var pointer: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(message, CChar(bitPattern: type), &pointer) > 0, let pointer else { return nil }
        return String(cString: pointer)
    }

    // MARK: Writing

    /// Appends a value; false when sd-bus does not take it, such as a path that is none.
    static func append(_ value: BusValue, to message: OpaquePointer) -> Bool {
        switch value {
        case .bool(let flag): return basic(Int32(flag ? 1 : 0), "b", message)
        case .byte(let number): return basic(number, "y", message)
        case .int16(let number): return basic(number, "n", message)
        case .uint16(let number): return basic(number, "q", message)
        case .int32(let number): return basic(number, "i", message)
        case .uint32(let number): return basic(number, "u", message)
        case .int64(let number): return basic(number, "x", message)
        case .uint64(let number): return basic(number, "t", message)
        case .double(let number): return basic(number, "d", message)
        case .string(let text): return append(text, "s", message)
        case .objectPath(let text): return append(text, "o", message)
        case .signature(let text): return append(text, "g", message)
        case .array(let element, let elements):
            return container("a", element, message) { elements.allSatisfy { append($0, to: message) } }
        case .dictionary(let key, let value, let entries):
            return container("a", "{\(key)\(value)}", message) {
                entries.allSatisfy { entry in
                    container("e", key + value, message) {
                        append(entry.key, to: message) && append(entry.value, to: message)
                    }
                }
            }
        case .tuple(let members):
            return container("r", members.map(\.type).joined(), message) {
                members.allSatisfy { append($0, to: message) }
            }
        case .variant(let inner): return container("v", inner.type, message) { append(inner, to: message) }
        case .unread: return false
        }
    }

    private static func basic<Value: BitwiseCopyable>(_ value: Value, _ type: Unicode.Scalar, _ message: OpaquePointer)
        -> Bool
    {
        withUnsafePointer(to: value) { sd_bus_message_append_basic(message, CChar(type.value), $0) >= 0 }
    }

    private static func append(_ text: String, _ type: Unicode.Scalar, _ message: OpaquePointer) -> Bool {
        guard !text.utf8.contains(0) else { return false }
        return text.withCString { sd_bus_message_append_basic(message, CChar(type.value), $0) >= 0 }
    }

    private static func container(
        _ type: Unicode.Scalar, _ contents: String, _ message: OpaquePointer, _ body: () -> Bool
    ) -> Bool {
        sd_bus_message_open_container(message, CChar(type.value), contents) >= 0 && body()
            && sd_bus_message_close_container(message) >= 0
    }
}

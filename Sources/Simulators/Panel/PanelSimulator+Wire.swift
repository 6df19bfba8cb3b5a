import AlarmModel
import PanelLink

/// Lines to the client, and what the faults make of them.
extension PanelSimulator {
    /// A line about the panel: only while the module can see it and somebody is logged in.
    mutating func report(_ code: String, _ data: String = "") {
        guard module.isUp, module.isKeybusAlive, session?.isLoggedIn == true else { return }
        reply(code, data)
    }

    /// A line of the module itself.
    mutating func reply(_ code: String, _ data: String = "") {
        guard session != nil else { return }
        var line = Frame.bytes(code: code, data: data)
        let sum = line.count - 4..<line.count - 2
        if PanelFaults.use(&faults.badChecksum) { line[sum.lowerBound] = line[sum.lowerBound] == 48 ? 49 : 48 }
        if faults.lowercase {
            for index in sum where line[index] >= 65 { line[index] += 32 }
        }
        if module.stampsLines { line = Array((panel.clockTime(at: now).stamp + " ").utf8) + line }
        if PanelFaults.use(&faults.garbage) { send(garbage()) }
        if faults.reboot > .zero {
            push(Array(line.prefix(line.count / 2)))
            let down = faults.reboot
            faults.reboot = .zero
            rebootModule(down: down)
            return
        }
        send(line)
    }

    /// All lines of the body in one segment.
    mutating func inOneSegment(_ body: (inout PanelSimulator) -> Void) {
        gathered = []
        body(&self)
        let bytes = gathered ?? []
        gathered = nil
        if !bytes.isEmpty { send(bytes) }
    }

    private mutating func send(_ bytes: [UInt8]) {
        guard gathered == nil else {
            gathered?.append(contentsOf: bytes)
            return
        }
        switch faults.fragment {
        case .off: push(bytes)
        case .bytes: for byte in bytes { push([byte]) }
        case .crlf:
            var start = bytes.startIndex
            for index in bytes.indices where bytes[index] == 10 {
                push(Array(bytes[start..<index]))
                start = index
            }
            push(Array(bytes[start...]))
        case .anywhere:
            let first = 1 + Int(generator.next() % UInt64(max(1, bytes.count - 1)))
            let second = first + Int(generator.next() % UInt64(max(1, bytes.count - first)))
            push(Array(bytes[..<first]))
            push(Array(bytes[first..<second]))
            push(Array(bytes[second...]))
        }
    }

    /// One segment to the client, if there is one and nothing holds it back.
    mutating func push(_ bytes: [UInt8]) {
        guard let client = session?.client, !bytes.isEmpty, faults.silent == .off else { return }
        if let until = session?.stalledUntil, until > now {
            session?.stalledOutput.append(bytes)
            return
        }
        session?.lastSend = now
        outgoing.append(.send(client, bytes))
    }

    /// Something that is no line; it ends a line, so that the next one can be read.
    private mutating func garbage() -> [UInt8] {
        switch generator.next() % 8 {
        case 0: [0x00, 0xFF, 0x80, 0x7F, 13, 10]
        case 1: [0xFF, 0xFB, 0x01, 0xFF, 0xFD, 0x03, 13, 10]
        case 2: [13, 10, 13, 10, 10, 13]
        case 3: [UInt8](repeating: 65, count: 2000) + [13, 10]
        case 4: Frame.bytes(code: "699", data: "1")
        case 5: Frame.bytes(code: "609")
        case 6: Frame.bytes(code: "609", data: "0011")
        default: Array("ABCDE\r\n".utf8)
        }
    }

    mutating func sendRaw(line text: String) {
        let code = String(text.prefix(3))
        send(Frame.bytes(code: code, data: String(text.dropFirst(3))))
    }

    mutating func sendPrimary(_ line: String) { report(String(line.prefix(3)), String(line.dropFirst(3))) }

    static func hexadecimal(_ byte: UInt8) -> String { byte.padded(radix: 16, uppercase: true) }
}

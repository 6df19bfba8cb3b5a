import AlarmModel

/// Keys for a virtual keypad: at most six in one command (docs/envisalink.md 5.7).
enum KeyString {
    enum Fault: Equatable, Sendable, CustomStringConvertible {
        case empty, tooLong, characters, installer
        var description: String {
            switch self {
            case .empty: "no keys were given"
            case .tooLong: "more than \(PanelCommand.keyLimit) keys; send them in several orders"
            case .characters: "keys are 0-9, * and #; nothing was sent"
            case .installer:
                "*8 opens the installer menu, which can lock the module out until it is power-cycled; nothing was sent"
            }
        }
    }

    static func fault(of keys: Secret, allowsInstaller: Bool) -> Fault? {
        let bytes = Array(keys.revealed.utf8)
        if bytes.isEmpty { return .empty }
        if bytes.count > PanelCommand.keyLimit { return .tooLong }
        guard bytes.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2A || $0 == 0x23 }) else { return .characters }
        if !allowsInstaller, zip(bytes, bytes.dropFirst()).contains(where: { $0 == 0x2A && $1 == 0x38 }) {
            return .installer
        }
        return nil
    }

    static func split(_ keys: Secret) -> [Secret] {
        var rest = keys.revealed[...]
        var parts: [Secret] = []
        while !rest.isEmpty {
            parts.append(Secret(String(rest.prefix(6))))
            rest = rest.dropFirst(6)
        }
        return parts
    }
}

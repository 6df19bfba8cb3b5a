import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol

/// What must not leave in an archive for a bug report.
struct SupportRedaction {
    /// Longest first, so that one that contains another goes as a whole.
    private let secrets: [[UInt8]]

    /// Every secret of the configuration, and what stands in URLs behind the server. Short numbers are left to those who
    /// write the lines, where codes never are: blotting them out of counts and times would tell them by what stays around.
    init(_ configuration: Configuration?) {
        let found = configuration.map { Self.all($0, { ($0 as? Secret)?.revealed }) + Self.paths($0) } ?? []
        secrets = found.filter { text in
            let isNumber = text.utf8.allSatisfy { (48...57).contains($0) }
            return text.utf8.count >= (isNumber ? 8 : 4) && text != Self.factoryPassword
        }.map { Array($0.utf8) }.sorted { $0.count > $1.count }
    }

    /// Every module is sold with it: to blot it out of words that contain it would tell it, and ruin them.
    private static let factoryPassword = "user"

    private static func paths(_ configuration: Configuration) -> [String] {
        all(configuration) { ($0 as? HTTPURL)?.target }
    }

    /// What is picked out of a value and all that is in it.
    private static func all(_ value: Any, _ pick: (Any) -> String?) -> [String] {
        if let picked = pick(value) { return [picked] }
        return Mirror(reflecting: value).children.flatMap { all($0.value, pick) }
    }

    func clean(_ bytes: [UInt8]) -> [UInt8] {
        secrets.reduce(bytes) { Self.replace($1, in: $0) }
    }

    private static func replace(_ secret: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        guard let first = secret.first, bytes.count >= secret.count else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == first, index + secret.count <= bytes.count,
                bytes[index..<index + secret.count].elementsEqual(secret)
            {
                result += Array("(secret)".utf8)
                index += secret.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    // MARK: The configuration

    /// The configuration as it is in force, without secrets, without paths of URLs, which may be secrets too, without
    /// telephone numbers and mail addresses, and without whatever has to do with duress.
    static func configuration(_ configuration: Configuration) -> JSON {
        guard let json = try? JSON.encoding(configuration) else { return .null }
        return blanked(json, paths: Set(paths(configuration)))
    }

    /// - Parameter paths: of URLs, wherever they stand
    static func blanked(_ json: JSON, paths: Set<String> = []) -> JSON {
        switch json {
        case .object(let members):
            if members.contains(where: { $0.key == "url" }), let text = json["text"]?.stringValue {
                let kept = members.filter { !["url", "text"].contains($0.key) }
                return .object(
                    [JSON.Member(key: "server", value: .string(server(of: text)))]
                        + kept.compactMap { blanked($0, paths) })
            }
            return .object(members.compactMap { blanked($0, paths) })
        case .array(let items): return .array(items.map { blanked($0, paths: paths) })
        case .string(let text): return .string(paths.contains(text) ? "(path)" : blanked(text))
        case .null, .bool, .integer, .number: return json
        }
    }

    private static func blanked(_ member: JSON.Member, _ paths: Set<String>) -> JSON.Member? {
        guard !member.key.lowercased().includes("duress") else { return nil }
        return JSON.Member(key: member.key, value: blanked(member.value, paths: paths))
    }

    private static func blanked(_ text: String) -> String {
        if !text.isEmpty, text.utf8.allSatisfy({ $0 == UInt8(ascii: "*") }) { return "(set)" }
        if text.includes("://") { return server(of: text) }
        if text.hasPrefix("+"), text.utf8.count > 5 { return "\(text.prefix(3))…" }
        if let at = text.firstIndex(of: "@") { return "…\(text[at...])" }
        return text
    }

    /// Scheme and host.
    private static func server(of url: String) -> String {
        let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return "(URL)" }
        let place = parts[2].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        // What stands before @ is a name and a password.
        return "\(parts[0])//\(place.split(separator: "@").last ?? "")"
    }

    // MARK: Phones

    /// The report without what stands for an address of a phone.
    static func phones(_ report: PhonesReport) -> PhonesReport {
        var report = report
        report.pendingTokens = report.pendingTokens.map { _ in "(token)" }
        for index in report.entries.indices where report.entries[index].level != .app {
            report.entries[index].id = "(address)"
        }
        return report
    }
}

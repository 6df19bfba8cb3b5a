/// Values that stand in `howalarming.example.yaml` to be changed, and are still there: nothing can be reached by them.
/// For whoever asks what to think of a file (`check`, the card); the daemon does without.
package enum ExampleValues {
    /// As they stand in the example. A password or code among them is none.
    static let values: Set<String> = [
        "Mill Lane 4", "the-password", "the-server-key", "tk_the-token", "tk_another-token", "at-least-16-characters",
        "a topic of your own", "another of your own", "+431234567", "100200300", "246802", "471100",
    ]
    /// Only there.
    static let atPath: [String: String] = ["panel.code_master": "1234"]
    /// Nobody has an account or a server there (RFC 2606).
    static let domains = ["example.org", "example.com", "example.net"]
    /// Here such a domain is a good answer.
    static let exceptions: Set<String> = ["links.probe.name"]

    package static func warnings(in root: YAMLNode, of file: String) -> [ConfigurationProblem] {
        var found: [ConfigurationProblem] = []
        walk(root, "") { node, path, text in
            guard isExample(text, at: path) else { return }
            found.append(
                ConfigurationProblem(
                    file: file, mark: node.mark, severity: .warning, path: path,
                    what: "'\(path)' is still the example's value", expected: "your own"))
        }
        return found
    }

    /// What works, and is better not kept: for `check` alone.
    package static func advice(in root: YAMLNode, of file: String) -> [ConfigurationProblem] {
        var found: [ConfigurationProblem] = []
        walk(root, "") { node, path, text in
            guard text == "user", ["panel.password", "envisalinkd.password"].contains(path) else { return }
            found.append(
                ConfigurationProblem(
                    file: file, mark: node.mark, severity: .warning, path: path,
                    what:
                        "the module still has the password that it was sold with: whoever is in its network can use it",
                    expected: "another one, on the module's own web page and here"))
        }
        return found
    }

    private static func isExample(_ text: String, at path: String) -> Bool {
        if values.contains(text) || atPath[path] == text { return true }
        guard !exceptions.contains(path) else { return false }
        return domains.contains { domain in
            text.split(whereSeparator: { "/@:?".contains($0) }).contains { $0 == domain || $0.hasSuffix(".\(domain)") }
        }
    }

    private static func walk(_ node: YAMLNode, _ path: String, _ visit: (YAMLNode, String, String) -> Void) {
        switch node.content {
        case .scalar(let text, _): visit(node, path, text)
        case .sequence(let items): for item in items { walk(item, path, visit) }
        case .mapping(let entries):
            for entry in entries { walk(entry.value, path.isEmpty ? entry.key : "\(path).\(entry.key)", visit) }
        }
    }
}

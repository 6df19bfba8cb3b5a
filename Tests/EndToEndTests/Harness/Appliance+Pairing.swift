import Foundation

extension Appliance {
    /// Pairs a phone with the box as people do it; gives the code and the digits with which it was done.
    @discardableResult
    func pair(
        _ phone: PhoneProcess, with person: String, roles: String? = nil
    ) throws -> (code: String, digits: String) {
        let pairing = try spawn(
            "pairing-\(UUID().uuidString.prefix(8))",
            ["phones", "pair", "--person", person] + (roles.map { ["--role", $0] } ?? []))
        _ = try pairing.waitForLine(containing: "waiting for the phone")
        guard let code = pairing.lines.first else { throw HarnessError("no code: \(pairing.report)") }
        try phone.say("pair \(code)")
        guard let digits = try phone.waitForLine("digits ").split(separator: " ").last.map(String.init) else {
            throw HarnessError("no digits")
        }
        _ = try pairing.waitForLine(containing: "has used the code")
        let confirmed = try run("phones", "confirm", digits)
        guard confirmed.status == 0 else { throw HarnessError("phones confirm: \(confirmed.errors)") }
        guard try pairing.waitForExit() == 0 else { throw HarnessError("phones pair: \(pairing.report)") }
        try phone.waitForLine("paired with")
        return (code, digits)
    }
}

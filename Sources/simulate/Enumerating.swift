import AlarmModel
import Glibc
import Simulation

/// All scripts up to a length, or one, through the oracle.
func enumerate(_ order: Order) -> Never {
    let result = order.words.map { Enumeration($0) } ?? enumeration(order)
    for finding in result.findings {
        print(
            "\(finding.what): \(finding.count) scripts, the shortest: "
                + finding.shortest.map(\.rawValue).joined(separator: ","))
        print("  broken promise: \(finding.promise.rawValue)")
        print("  \(finding.detail)")
    }
    print("\(result.scripts) scripts, \(result.findings.count) ways to break a promise")
    exit(result.findings.isEmpty ? 0 : 1)
}

private func enumeration(_ order: Order) -> Enumeration {
    let words = order.hasOrders ? Enumeration.Word.ofOrders : Enumeration.Word.ofPanel
    return Enumeration(words, length: order.enumeration ?? 1)
}

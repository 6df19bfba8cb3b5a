import AlarmModel
import PhoneLink
import Testing

@Suite("The order of a service's places")
struct ServiceOrderTests {
    private func order(_ records: [ServiceRecord], seed: UInt64) -> [String] {
        var jitter = Jitter(seed: seed)
        return ServiceOrder.sorted(records, by: { $0 }, &jitter).map(\.target)
    }

    @Test("a lower priority always comes first, whatever the weights are")
    func aLowerPriorityAlwaysComesFirst() {
        let records = [
            ServiceRecord(target: "c", port: 1, priority: 30, weight: 65535),
            ServiceRecord(target: "a", port: 1, priority: 5), ServiceRecord(target: "b", port: 1, priority: 10),
        ]
        for seed: UInt64 in 0..<50 { #expect(order(records, seed: seed) == ["a", "b", "c"]) }
        #expect(order([], seed: 1).isEmpty)
    }

    @Test("among equals each is first as often as its weight says, and the same seed gives the same order")
    func amongEqualsEachIsFirstAsOftenAsItsWeightSays() {
        let records = [
            ServiceRecord(target: "one", port: 1, weight: 1), ServiceRecord(target: "three", port: 1, weight: 3),
            ServiceRecord(target: "none", port: 1, weight: 0),
        ]
        var first: [String: Int] = [:]
        for seed: UInt64 in 0..<2000 {
            let places = order(records, seed: seed)
            #expect(Set(places).count == 3)
            #expect(places == order(records, seed: seed))
            first[places[0], default: 0] += 1
        }
        // RFC 2782: numbers 0…4, of which 0 is that without weight, 1 the first, 2…4 the other.
        #expect((300...500).contains(first["none"] ?? 0))
        #expect((300...500).contains(first["one"] ?? 0))
        #expect((1050...1350).contains(first["three"] ?? 0))
        let full = (0..<16).map { ServiceRecord(target: "\($0)", port: 1, weight: .max) }
        #expect(Set(order(full, seed: 3)).count == 16)
    }
}

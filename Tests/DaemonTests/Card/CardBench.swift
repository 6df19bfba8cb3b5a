import Foundation
import Platform
import Testing

@testable import Card
@testable import YAMLConfiguration

/// A card, the data partition and /run as three real directories.
final class CardBench {
    let base: URL
    var template: [UInt8]?

    init() throws {
        base = FileManager.default.temporaryDirectory.appendingPathComponent("card-\(UUID().uuidString)")
        for name in ["card", "state", "run"] {
            try FileManager.default.createDirectory(
                at: base.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        try directories.prepare()
    }

    deinit { try? FileManager.default.removeItem(at: base) }

    var directories: CardDirectories {
        CardDirectories(card: path("card"), data: path("state/card"), network: path("run"), remounts: true)
    }

    func path(_ name: String) -> String { base.appendingPathComponent(name).path }

    func put(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: base.appendingPathComponent(name))
    }

    /// nil if there is no such file.
    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    func names(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(directory)).sorted()
    }

    @discardableResult
    func run(through storage: (any CardStorage)? = nil) throws -> CardReport {
        try CardImport(storage: storage ?? directories, template: template).run()
    }

    /// As the daemon reads what is in force.
    var inForce: ConfigurationResult {
        ConfigurationReader.read(file: path("state/card/howalarming.yaml"))
    }

    /// Every file of all three directories, for comparing; what is random or of the moment is in none.
    func everything() throws -> [String: String] {
        var found: [String: String] = [:]
        for case let name as String in try #require(FileManager.default.enumerator(atPath: base.path)) {
            if let text = text(name) { found[name] = text }
        }
        return found
    }
}

/// Counts the steps that change something, and ends at one of them as a power cut does: before it, or right after it.
final class FailingStorage: CardStorage {
    struct Cut: Equatable {
        var step: Int
        var isDone: Bool
    }

    private let real: CardDirectories
    private let cut: Cut?
    private(set) var steps: [CardPlace] = []
    private(set) var openings = 0
    private var isCut = false

    init(_ real: CardDirectories, cut: Cut? = nil) {
        self.real = real
        self.cut = cut
    }

    private static let error = SystemError(call: "write", number: 5, subject: "cut")

    func read(_ place: CardPlace) throws(SystemError) -> [UInt8]? { try real.read(place) }

    func write(_ place: CardPlace, _ bytes: [UInt8]) throws(SystemError) {
        try step(place) { () throws(SystemError) in try real.write(place, bytes) }
    }

    func remove(_ place: CardPlace) throws(SystemError) {
        try step(place) { () throws(SystemError) in try real.remove(place) }
    }

    func openCard() throws(SystemError) -> Bool {
        openings += 1
        return try real.openCard()
    }

    func closeCard() throws(SystemError) { try real.closeCard() }

    private func step(_ place: CardPlace, _ body: () throws(SystemError) -> Void) throws(SystemError) {
        guard !isCut else { throw Self.error }
        if let cut, steps.count == cut.step {
            isCut = true
            if cut.isDone { try body() }
            throw Self.error
        }
        steps.append(place)
        try body()
    }
}

/// A card whose lock is on.
struct LockedCard: CardStorage {
    private let real: CardDirectories

    init(_ real: CardDirectories) { self.real = real }

    func read(_ place: CardPlace) throws(SystemError) -> [UInt8]? { try real.read(place) }
    func write(_ place: CardPlace, _ bytes: [UInt8]) throws(SystemError) { try real.write(place, bytes) }
    func remove(_ place: CardPlace) throws(SystemError) { try real.remove(place) }
    func openCard() throws(SystemError) -> Bool { throw SystemError(call: "mount", number: 30, subject: "card") }
    func closeCard() throws(SystemError) {}
}

/// A data partition that has become read-only.
struct ReadOnlyData: CardStorage {
    private let real: CardDirectories

    init(_ real: CardDirectories) { self.real = real }

    private static func check(_ place: CardPlace) throws(SystemError) {
        if case .data = place { throw SystemError(call: "open", number: 30, subject: "data") }
    }

    func read(_ place: CardPlace) throws(SystemError) -> [UInt8]? { try real.read(place) }

    func write(_ place: CardPlace, _ bytes: [UInt8]) throws(SystemError) {
        try Self.check(place)
        try real.write(place, bytes)
    }

    func remove(_ place: CardPlace) throws(SystemError) {
        try Self.check(place)
        try real.remove(place)
    }

    func openCard() throws(SystemError) -> Bool { try real.openCard() }
    func closeCard() throws(SystemError) { try real.closeCard() }
}

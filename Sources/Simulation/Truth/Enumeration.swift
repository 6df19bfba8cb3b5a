package import AlarmModel
import PanelLink
import Simulators

/// All sequences of panel events and orders up to a length, with one loss of the link, one time without the box, one
/// restart or one death in the midst at each place; each goes through the oracle.
package struct Enumeration: Sendable {
    /// One word of a script.
    package enum Word: String, Hashable, Sendable, CaseIterable {
        /// A perimeter zone opens and closes.
        case burglary
        /// The fire zone opens, or closes.
        case fire
        /// The silent zone opens and closes.
        case silent
        /// The siren's time passes.
        case bell
        /// A disarming, or an arming, at the keypad.
        case disarm, arm
        /// The entry door opens, or closes.
        case door
        /// Orders to the box.
        case orderDisarm, orderArm
        /// An arm, and a disarm 100 ms later.
        case orderBoth
        case orderWithWrongCode
        /// The module refuses the next command: there is nothing to disarm, the panel is out of reach.
        case refuses023, refuses014

        /// The link is lost, and back; the box is off, and on; both; the box dies within the next word.
        case cut, restored, off, on, restart, dies

        var isInterruption: Bool {
            switch self {
            case .cut, .restored, .off, .on, .restart, .dies: true
            default: false
            }
        }

        package static let ofPanel: [Word] = [.burglary, .fire, .silent, .bell, .disarm, .arm, .door]
        package static let ofOrders: [Word] = [
            .burglary, .fire, .disarm, .arm, .door, .orderDisarm, .orderArm, .orderBoth, .orderWithWrongCode,
            .refuses023,
            .refuses014,
        ]
    }

    /// One way to break a promise.
    package struct Finding: Sendable {
        package var promise: Violation.Promise
        package var what: String
        package var detail: String
        /// Scripts of which no beginning breaks it.
        package var count = 0
        package var shortest: [Word] = []
    }

    package private(set) var scripts = 0
    /// Findings, the one with the simplest script first.
    package private(set) var findings: [Finding] = []
    private let words: [Word]
    private let length: Int

    /// - Parameters:
    ///   - length: at most so many of `words` in one script
    ///   - first: the scripts that begin with this word alone; nil: all
    ///   - sabotage: a deliberate bug (debug builds only)
    package init(_ words: [Word], length: Int, first: Word? = nil, sabotage: Sabotage? = nil) {
        self.words = words
        self.length = length
        var stage = Stage(sabotage)
        if let first {
            stage.play(first)
            visit(stage)
        } else {
            follow(stage)
        }
        sort()
    }

    /// Plays one script.
    package init(_ script: [Word]) {
        words = []
        length = 0
        var stage = Stage(nil)
        for word in script { stage.play(word) }
        scripts = 1
        note(stage.ended, [], script)
    }

    package mutating func add(_ other: Enumeration) {
        scripts += other.scripts
        for finding in other.findings {
            guard let index = findings.firstIndex(where: { $0.what == finding.what }) else {
                findings.append(finding)
                continue
            }
            findings[index].count += finding.count
            if Self.isSimpler(finding.shortest, findings[index].shortest) {
                (findings[index].shortest, findings[index].detail) = (finding.shortest, finding.detail)
            }
        }
        sort()
    }

    private mutating func sort() {
        findings.sort { Self.isSimpler($0.shortest, $1.shortest) }
    }

    private static func isSimpler(_ script: [Word], _ other: [Word]) -> Bool {
        func weight(_ script: [Word]) -> (Int, Int) { (script.count { $0.isInterruption }, script.count) }
        return weight(script) < weight(other)
    }

    // MARK: The tree of scripts

    private mutating func follow(_ stage: Stage) {
        for interruption in stage.possibleInterruptions {
            var next = stage
            next.play(interruption)
            for word in words { visit(next, word) }
        }
        for word in words { visit(stage, word) }
    }

    private mutating func visit(_ stage: Stage, _ word: Word) {
        guard stage.length < length else { return }
        var next = stage
        next.play(word)
        visit(next)
    }

    private mutating func visit(_ stage: Stage) {
        scripts += 1
        let ended = stage.ended
        note(ended, stage.known, stage.script)
        guard stage.length < length else { return }
        var next = stage
        next.known.formUnion(ended.box.untruths.map(\.what))
        follow(next)
    }

    private mutating func note(_ ended: Stage, _ known: Set<String>, _ script: [Word]) {
        var fresh = Set<String>()
        for untruth in ended.box.untruths where !known.contains(untruth.what) && fresh.insert(untruth.what).inserted {
            let index = findings.firstIndex { $0.what == untruth.what } ?? findings.count
            if index == findings.count {
                findings.append(Finding(promise: untruth.promise, what: untruth.what, detail: untruth.detail))
            }
            findings[index].count += 1
            if findings[index].shortest.isEmpty || Self.isSimpler(script, findings[index].shortest) {
                (findings[index].shortest, findings[index].detail) = (script, untruth.detail)
            }
        }
    }
}

/// A house in the midst of a script.
private struct Stage: Sendable {
    typealias Word = Enumeration.Word

    var box: SmallBox
    var script: [Word] = []
    /// Words that are no interruptions.
    var length = 0
    /// Ways to break a promise that a beginning of the script has found.
    var known: Set<String> = []
    private var wasInterrupted = false
    private var outage: Word?
    private var dies = false
    private var isFire = false
    private var isDoorOpen = false

    init(_ sabotage: Sabotage?) {
        var house = SimulatedHouse(zones: [
            SimulatedZone(1, .entryExit, isForceArmable: true), SimulatedZone(2, .perimeter),
            SimulatedZone(3, .fire24h), SimulatedZone(4, .burglary24h, isSilent: true),
        ])
        house.exitDelay = .seconds(10)
        house.entryDelay = .seconds(30)
        house.bellTime = .seconds(200)
        house.delaysInAlarm = true
        house.reachesVendor = true
        let names = SiteNames(
            partitions: [.init(number: 1, name: "House")],
            zones: [.init(number: 3, name: "Smoke", partition: 1, isFire: true)],
            users: [.init(number: 40, name: "Anna")])
        box = SmallBox(
            house, PanelSettings(password: Secret("user"), masterCode: Secret("1234"), names: names),
            sabotage: sabotage)
    }

    var possibleInterruptions: [Word] {
        switch outage {
        case .cut: [.restored]
        case .off: [.on]
        default: wasInterrupted ? [] : [.cut, .off, .restart, .dies]
        }
    }

    /// After all is heard that can be.
    var ended: Stage {
        var stage = self
        if let interruption = stage.outage { stage.play(interruption == .cut ? .restored : .on) }
        stage.box.pass(.seconds(100))
        return stage
    }

    mutating func play(_ word: Word) {
        script.append(word)
        if word.isInterruption { return interrupt(word) }
        length += 1
        act(word)
        box.pass(word == .bell ? .seconds(201) : .seconds(20))
        guard dies else { return }
        dies = false
        box.stop()
        box.start()
        box.pass(.seconds(20))
    }

    private mutating func interrupt(_ word: Word) {
        wasInterrupted = true
        switch word {
        case .cut:
            outage = .cut
            box.cut()
        case .off:
            outage = .off
            box.stop()
        case .restored:
            outage = nil
            // The session has noticed by then, and begins anew within a minute.
            box.pass(.seconds(40))
            box.restoreNetwork()
            box.pass(.seconds(80))
        case .on:
            outage = nil
            box.start()
            box.pass(.seconds(20))
        case .restart:
            box.stop()
            box.start()
            box.pass(.seconds(20))
        case .dies:
            dies = true
            box.dieAfterNextEvent()
        default: break
        }
    }

    private mutating func act(_ word: Word) {
        switch word {
        case .burglary: box.act(.trip(zone: 2, span: .seconds(5)))
        case .fire:
            isFire.toggle()
            box.act(isFire ? .open(zone: 3) : .close(zone: 3))
        case .silent: box.act(.trip(zone: 4, span: .seconds(5)))
        case .disarm: box.act(.disarm(partition: 1, user: 40))
        case .arm: box.act(.arm(partition: 1, .away, user: 40))
        case .door:
            isDoorOpen.toggle()
            box.act(isDoorOpen ? .open(zone: 1) : .close(zone: 1))
        case .orderDisarm: box.order(.disarm(partition: 1))
        case .orderArm: box.order(.arm(partition: 1, mode: .away, force: false))
        case .orderBoth:
            box.order(.arm(partition: 1, mode: .away, force: false))
            box.pass(.milliseconds(100))
            box.order(.disarm(partition: 1))
        case .orderWithWrongCode: box.order(.disarm(partition: 1), code: Secret("9999"))
        case .refuses023: box.act(.fault(.busy(PanelFaults.Busy(code: 23, times: 1))))
        case .refuses014: box.act(.fault(.busy(PanelFaults.Busy(code: 14, times: 1))))
        case .bell, .cut, .restored, .off, .on, .restart, .dies: break
        }
    }
}

import AlarmModel
import PhoneLink
import Simulation
import Testing

@Suite("A run with a part of what its seed draws")
struct ShrinkingTests {
    private static let span = Duration.minutes(15)

    @Test("what takes place is as it was drawn, whatever else is left out")
    func whatTakesPlaceIsAsItWasDrawn() {
        var plan = RunPlan(seed: 5, span: Self.span, channels: [.ntfy, .xmpp])
        let all = plan.happenings
        #expect(all.map(\.number) == Array(1...all.count))
        plan.selection.only = [2, 7, 8, all.count]
        #expect(plan.happenings == [all[1], all[6], all[7], all[all.count - 1]])
        plan.selection = Selection(until: .seconds(300))
        #expect(plan.happenings == all.filter { $0.at < .zero + .seconds(300) })
    }

    @Test("a run with everything that was drawn is the run of the seed")
    func aRunWithEverythingThatWasDrawnIsTheRunOfTheSeed() {
        let whole = RunPlan(seed: 2, span: .minutes(5), channels: [])
        var plan = whole
        plan.selection.only = whole.happenings.map(\.number)
        let (one, other) = (whole.run, plan.run)
        #expect(one.violation == nil)
        #expect(one.steps == other.steps)
        #expect(one.events == other.events)
        #expect(one.deliveries == other.deliveries)
    }

    @Test("the promises hold with any part of the happenings, too", arguments: [1, 2, 3] as [UInt64])
    func thePromisesHoldWithAnyPartOfTheHappenings(seed: UInt64) {
        var plan = RunPlan(seed: seed, span: .minutes(10), channels: [.mqtt])
        var chance = Jitter(seed: seed)
        plan.selection.only = plan.happenings.map(\.number).filter { _ in chance.next() % 2 == 0 }
        plan.selection.until = .seconds(500)
        let violation = plan.violation(settles: true)
        #expect(violation == nil, "\(plan.selection): \(violation.map(\.description) ?? "")")
    }

    @Test(
        "numbers are written as they are read",
        arguments: [
            ("none", []), ("3", [3]), ("3,17-20", [3, 17, 18, 19, 20]), ("1-2,4", [1, 2, 4]),
        ] as [(String, [Int])])
    func numbersAreWrittenAsTheyAreRead(text: String, numbers: [Int]) {
        #expect(Selection.numbers(text) == numbers)
        #expect(Selection.text(numbers) == text)
    }

    @Test("what is no list of numbers is refused", arguments: ["", ",", "0", "3-1", "1-2-3", "x", "-4", "1-9999999"])
    func whatIsNoListOfNumbersIsRefused(text: String) {
        #expect(Selection.numbers(text) == nil)
    }

    #if SABOTAGE
        @Test("a seed that keeps its promises has nothing to shrink")
        func aSeedThatKeepsItsPromisesHasNothingToShrink() {
            #expect(Shrinking(RunPlan(seed: 1, span: .minutes(1), channels: [])) == nil)
        }

        /// Bugs that need one happening, two, and several together.
        @Test(
            "the shrunk run breaks the same promise, and with any one happening less it does not",
            arguments: [Sabotage.tellsDuressToAll, .renamesOnResend, .forgetsReturnedMessages])
        func theShrunkRunBreaksTheSamePromise(sabotage: Sabotage) throws {
            let plans = (1...4).lazy.map { RunPlan(seed: $0, span: Self.span, sabotage: sabotage, channels: []) }
            let plan = try #require(plans.first { $0.violation(settles: true) != nil })
            let original = try #require(plan.violation(settles: true))
            let shrinking = try #require(Shrinking(plan, budget: 200))
            #expect(shrinking.violation.promise == original.promise)
            #expect(shrinking.isMinimal, "after \(shrinking.runs) runs")
            #expect(shrinking.happenings.count < 8, "\(shrinking.happenings)")
            #expect(shrinking.drawn == plan.happenings.count)
            #expect(shrinking.plan.happenings == shrinking.happenings)
            // The plan is all that the replay needs.
            #expect(shrinking.plan.run.violation == shrinking.violation)
            for happening in shrinking.happenings {
                var shorter = shrinking.plan
                shorter.selection.only = shrinking.happenings.map(\.number).filter { $0 != happening.number }
                let violation = shorter.violation(settles: true)
                #expect(violation?.promise != original.promise, "without \(happening)")
            }
        }

        @Test("when the tries are used up, what was found so far is told as such")
        func whenTheTriesAreUsedUp() throws {
            let plan = RunPlan(seed: 4, span: Self.span, sabotage: .tellsDuressToAll, channels: [])
            let shrinking = try #require(Shrinking(plan, budget: 3))
            #expect(!shrinking.isMinimal)
            #expect(shrinking.runs == 3)
            #expect(shrinking.happenings.count > 1)
            #expect(shrinking.plan.run.violation == shrinking.violation)
        }
    #endif
}

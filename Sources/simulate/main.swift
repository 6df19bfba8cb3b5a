// The simulated world from the command line; see tools/simulate.
import AlarmModel
import CommandKit
import Glibc
import PhoneLink
import Simulation

let usage = """
    usage: simulate [--first-seed N] [--seeds M] [--seed N] [--span MINUTES] [--ways NAMES] [--links] [--modem]
                    [--incidents] [--untruth WORDS] [--enumerate LENGTH] [--orders] [--words SCRIPT]
                    [--only NUMBERS] [--until SECONDS] [--story] [--shrink] [--tries N] [--sabotage NAME]
                    [--hashes FILE | --write-hashes FILE] [--script FILE | --write-script FILE]

      --first-seed N   the first seed of a range (1)
      --seeds M        so many seeds (100)
      --seed N         replay one seed
      --span MINUTES   how long faults happen in each run, in simulated time (30)
      --ways NAMES     the channels that each house has, such as ntfy,mqtt, or none; CCS, too, where none of them carries
                       sealed phones; with web_push phones live by the topic server (as its seed has it)
      --links          each house has two ways out, which fail
      --modem          the same, and the second is a modem with text messages
      --incidents      each house has alarms as panels send them, and what it tells is compared with what happened
      --untruth WORDS  of these comparisons only those whose name has the words count
      --enumerate LENGTH  all scripts of panel events up to that length go through the same comparison, without a world
      --orders         these scripts have orders to the box, too
      --words SCRIPT   one of them, such as arm,cut,burglary,bell,restored
      --only NUMBERS   of what each seed draws only these happenings, such as 3,17-20, or none
      --until SECONDS  the faults end so early; what is drawn for later does not happen
      --story          of each seed, what the panel did, what its module said, and what the box made of it
      --shrink         find the shortest list of happenings with which a seed still breaks the same promise
      --tries N        with at most so many runs (500)
      --sabotage NAME  a deliberate bug to be found (debug builds only)
      --script FILE    replay a house and its faults as they are written there
      --write-script FILE  write down what one seed draws, with --only and --until; nothing is run
      --hashes FILE    the effects of each seed must be those whose hash is kept there
      --write-hashes FILE  keep them there, and those of no other seed

    The last line is the verdict; exit status 0: every promise held and every kept hash came out, 1: not so,
    64: usage.
    """

struct Order {
    var first: UInt64 = 1
    var count: UInt64 = 100
    var span: Duration = .minutes(30)
    var hasLinks = false
    var hasModem = false
    var hasIncidents = false
    var soughtUntruth: String?
    var sabotage: Sabotage?
    var channels: [ChannelKind]?
    var selection = Selection.all
    var isNarrated = false
    var shrinks = false
    var tries = 500
    /// Kept hashes that are compared with.
    var kept: HashFile?
    var hashesGoTo: String?
    var script: RunScript?
    var scriptGoesTo: String?
    /// Longest script of the enumeration.
    var enumeration: Int?
    var hasOrders = false
    var words: [Enumeration.Word]?

    func plan(_ seed: UInt64) -> RunPlan {
        var plan = RunPlan(
            seed: seed, span: span, sabotage: sabotage, channels: channels, hasLinks: hasLinks, hasModem: hasModem,
            selection: selection, isHashed: kept != nil || hashesGoTo != nil)
        plan.script = script
        plan.hasIncidents = hasIncidents
        plan.soughtUntruth = soughtUntruth
        plan.isNarrated = isNarrated
        return plan
    }
}

func complain(_ text: String) -> Never {
    let message = Array("simulate: \(text)\n\(usage)\n".utf8)
    _ = write(STDERR_FILENO, message, message.count)
    exit(64)
}

extension Order {
    init(_ given: ParsedArguments) {
        func number(_ name: String) -> UInt64? {
            given.value(name).map { text in UInt64(text) ?? { complain("\(name) wants a number") }() }
        }
        func number(_ name: String, _ range: ClosedRange<UInt64>, _ unit: String = "") -> Int? {
            guard let value = number(name) else { return nil }
            guard range.contains(value) else {
                complain("\(name) is from \(range.lowerBound) to \(range.upperBound)\(unit)")
            }
            return Int(value)
        }
        first = number("--first-seed") ?? first
        count = number("--seeds") ?? count
        if let seed = number("--seed") { (first, count) = (seed, 1) }
        span = number("--span", 1...100_000, " minutes").map { .minutes($0) } ?? span
        hasLinks = given.has("--links")
        hasModem = given.has("--modem")
        hasIncidents = given.has("--incidents")
        soughtUntruth = given.value("--untruth")
        enumeration = number("--enumerate", 1...8)
        hasOrders = given.has("--orders")
        words = given.value("--words").map { text in
            text.split(separator: ",").map { word in
                guard let known = Enumeration.Word(rawValue: String(word)) else {
                    complain("--words knows \(Enumeration.Word.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                return known
            }
        }
        if let text = given.value("--only") {
            guard let numbers = Selection.numbers(text) else {
                complain("--only wants numbers such as 3,17-20, or none")
            }
            selection.only = numbers
        }
        selection.until = number("--until", 1...6_000_000, " seconds").map { .seconds($0) }
        isNarrated = given.has("--story")
        shrinks = given.has("--shrink")
        tries = number("--tries", 1...1_000_000) ?? tries
        if let wanted = given.value("--sabotage") {
            #if SABOTAGE
                guard let sabotage = Sabotage(rawValue: wanted) else {
                    complain("--sabotage knows \(Sabotage.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                self.sabotage = sabotage
            #else
                complain("--sabotage needs a debug build")
            #endif
        }
        channels = given.value("--ways").map { text in
            text.split(separator: ",").filter { $0 != "none" }.map { name in
                guard let channel = ChannelKind.allCases.first(where: { $0.rawValue == name }) else {
                    complain("--ways knows none, \(ChannelKind.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                return channel
            }
        }
        if let path = given.value("--script") {
            do {
                script = try RunScript(try TextFile.read(path))
                count = 1
            } catch {
                complain("\(path): \(error)")
            }
        }
        do {
            kept = try given.value("--hashes").map { try HashFile(reading: $0) }
        } catch {
            complain("\(error)")
        }
        scriptGoesTo = given.value("--write-script")
        hashesGoTo = given.value("--write-hashes")
        for name in ["--write-script", "--write-hashes"] where given.value(name) == "" {
            complain("\(name) wants a file")
        }
    }

    static func asked() -> Order {
        let syntax = CommandSyntax(
            "simulate", manual: usage, asking: "simulate --help", unknown: { "unknown option '\($0)'" }, missing: nil)
        do throws(UsageError) {
            let given = try ParsedArguments(CommandLine.arguments.dropFirst(), syntax: syntax)
            guard !given.wantsHelp else {
                print(usage)
                exit(0)
            }
            return Order(given)
        } catch {
            complain(error.message)
        }
    }
}

func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The command that runs this plan again.
func replay(_ plan: RunPlan) -> String {
    var words = ["tools/simulate --seed \(plan.seed) --span \(plan.span.milliseconds / 60_000)"]
    if let channels = plan.channels {
        words.append("--ways " + (channels.isEmpty ? "none" : channels.map(\.rawValue).joined(separator: ",")))
    }
    if plan.script != nil { return "the same again" }
    if plan.hasLinks { words.append("--links") }
    if plan.hasModem { words.append("--modem") }
    if plan.hasIncidents { words.append("--incidents") }
    if let untruth = plan.soughtUntruth { words.append("--untruth '\(untruth)'") }
    if let only = plan.selection.only { words.append("--only \(Selection.text(only))") }
    if let until = plan.selection.until { words.append("--until \(until.milliseconds / 1000)") }
    #if SABOTAGE
        if let sabotage = plan.sabotage { words.append("--sabotage \(sabotage.rawValue)") }
    #endif
    return words.joined(separator: " ")
}

func shrink(_ plan: RunPlan, tries: Int) {
    var shortest = Int.max
    let result = Shrinking(plan, budget: tries) { shorter in
        guard shorter.happenings.count < shortest else { return }
        shortest = shorter.happenings.count
        let line = Array("  \(shortest) of \(shorter.drawn) happenings after \(shorter.runs) runs\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
    guard let result else { return print("  the same run breaks no promise when it is repeated") }
    let end = result.isMinimal ? "none of them can be left out" : "the tries were used up before more could be left out"
    print("  shrunk to \(result.happenings.count) of \(result.drawn) happenings in \(result.runs) runs; \(end):")
    for happening in result.happenings.sorted(by: { $0.at < $1.at }) {
        print("    \(happening.number) at \((happening.at - .zero).milliseconds) ms: \(happening.words)")
    }
    print("  with these alone: \(result.violation)")
    print("  replay: \(replay(result.plan))")
}

func crew(for order: Order) -> Crew {
    Crew(order.first..<(order.first &+ order.count)) { order.plan($0).run }
}

let order = Order.asked()
if order.enumeration != nil || order.words != nil { enumerate(order) }
if let path = order.scriptGoesTo {
    do {
        let plan = order.plan(order.first)
        let script = RunScript(of: plan, about: "seed \(order.first)", breaks: plan.run.violation?.promise)
        try TextFile.write(try script.text(), to: path)
    } catch {
        complain("\(path): \(error)")
    }
    exit(0)
}
let begin = now()
var steps = 0
var events = 0
var deliveries = 0
var commands = 0
var arrivals = 0
var presses = 0
var orders = 0
var coded = 0
var texts = 0
var calls = 0
var answers = 0
var simulated: Double = 0
var broken: [UInt64] = []
var changed: [UInt64] = []
var newHashes = HashFile()
crew(for: order).run(workers: Crew.processors) { run in
    let seed = run.seed
    steps += run.steps
    events += run.events
    deliveries += run.deliveries
    commands += run.commands
    arrivals += run.arrivals
    presses += run.presses
    orders += run.orders
    coded += run.codedOrders
    texts += run.texts
    calls += run.calls
    answers += run.answers
    simulated += Double(run.simulated.milliseconds) / 1000
    if let hash = run.hash {
        newHashes.note(hash, of: seed)
        if order.kept?.agrees(hash, of: seed) == false { changed.append(seed) }
    }
    for line in run.story { print("  \(line)") }
    guard let violation = run.violation else { return }
    broken.append(seed)
    print("seed \(seed): \(violation)")
    print("  last inputs:")
    for line in run.lastInputs { print("    \(line)") }
    let plan = order.plan(seed)
    print("  replay: \(replay(plan))")
    if order.shrinks {
        fflush(nil)
        shrink(plan, tries: order.tries)
    }
    // Who waits for many seeds sees the first failure at once.
    fflush(nil)
}
let wall = max(now() - begin, 0.001)
print(
    "\(Int(simulated / 3600)) simulated hours, \(steps) steps, \(events) events stored, \(deliveries) messages delivered,"
        + " \(arrivals) taken by other channels, \(commands) commands signed by phones, \(presses) unsigned,"
        + " \(orders) carried out, \(coded) of them with a code, \(texts) texts (\(answers) answered), \(calls) calls, \(Int(wall)) s;"
        + " \(Int(simulated / wall)) x real time, \(Int(Double(steps) / wall)) steps/s")
print(
    broken.isEmpty
        ? "every promise held: \(order.count) seeds"
        : "broken: \(broken.count) of \(order.count) seeds: \(broken.prefix(20).map(String.init).joined(separator: " "))"
)
if let kept = order.kept {
    let compared = newHashes.hashes.keys.count { kept.hashes[$0] != nil }
    print(
        changed.isEmpty
            ? "every effect is as it was: \(compared) hashes"
            : "effects differ from the kept ones: \(changed.count) of \(compared) hashes: "
                + changed.sorted().prefix(20).map(String.init).joined(separator: " "))
}
if let path = order.hashesGoTo {
    do {
        try newHashes.write(to: path, head: "All effects of each seed, as a number; see tools/hashes.")
    } catch {
        complain("\(error)")
    }
}
exit(broken.isEmpty && changed.isEmpty ? 0 : 1)

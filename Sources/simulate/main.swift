// The simulated world from the command line; see tools/simulate.
import AlarmModel
import Glibc
import PhoneLink
import Simulation

let usage = """
    usage: simulate [--first-seed N] [--seeds M] [--seed N] [--span MINUTES] [--ways NAMES] [--links] [--modem]
                    [--sabotage NAME]

      --first-seed N   the first seed of a range (1)
      --seeds M        so many seeds (100)
      --seed N         replay one seed
      --span MINUTES   how long faults happen in each run, in simulated time (30)
      --ways NAMES     the ways that each house has beside CCS, such as ntfy,mqtt, or none (as its seed has it)
      --links          each house has two ways out, which fail
      --modem          the same, and the second is a modem with text messages
      --sabotage NAME  a deliberate bug to be found (debug builds only)

    The last line is the verdict; exit status 0: every promise held, 1: one was broken, 64: usage.
    """

struct Order {
    var first: UInt64 = 1
    var count: UInt64 = 100
    var span: Duration = .minutes(30)
    var hasLinks = false
    var hasModem = false
    var sabotage: Sabotage?
    var ways: [WayKind]?
}

func complain(_ text: String) -> Never {
    let message = Array("simulate: \(text)\n\(usage)\n".utf8)
    _ = write(STDERR_FILENO, message, message.count)
    exit(64)
}

func parse(_ arguments: [String]) -> Order {
    var order = Order()
    var rest = arguments[...]
    func number(_ name: String) -> UInt64 {
        guard let text = rest.popFirst(), let value = UInt64(text) else { complain("\(name) wants a number") }
        return value
    }
    while let name = rest.popFirst() {
        switch name {
        case "--first-seed": order.first = number(name)
        case "--seeds": order.count = number(name)
        case "--seed":
            order.first = number(name)
            order.count = 1
        case "--span":
            let minutes = number(name)
            guard (1...100_000).contains(minutes) else { complain("--span is from 1 to 100000 minutes") }
            order.span = .minutes(Int(minutes))
        case "--links": order.hasLinks = true
        case "--modem": order.hasModem = true
        case "--sabotage":
            #if SABOTAGE
                let wanted = rest.popFirst() ?? ""
                guard let sabotage = Sabotage(rawValue: wanted) else {
                    complain("--sabotage knows \(Sabotage.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                order.sabotage = sabotage
            #else
                complain("--sabotage needs a debug build")
            #endif
        case "--ways":
            let names = (rest.popFirst() ?? "").split(separator: ",").filter { $0 != "none" }
            order.ways = names.map { name in
                guard let way = WayKind(rawValue: String(name)) else {
                    complain("--ways knows none, \(WayKind.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                return way
            }
        case "--help", "-h":
            print(usage)
            exit(0)
        default: complain("unknown option '\(name)'")
        }
    }
    return order
}

func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

let order = parse(Array(CommandLine.arguments.dropFirst()))
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
var simulated: Double = 0
var broken: [UInt64] = []
for seed in order.first..<(order.first &+ order.count) {
    let run = SeedRun(
        seed: seed, span: order.span, sabotage: order.sabotage, ways: order.ways, hasLinks: order.hasLinks,
        hasModem: order.hasModem)
    steps += run.steps
    events += run.events
    deliveries += run.deliveries
    commands += run.commands
    arrivals += run.arrivals
    presses += run.presses
    orders += run.orders
    coded += run.codedOrders
    texts += run.texts
    simulated += Double(run.simulated.milliseconds) / 1000
    guard let violation = run.violation else { continue }
    broken.append(seed)
    print("seed \(seed): \(violation)")
    print("  last inputs:")
    for line in run.lastInputs { print("    \(line)") }
    print(
        "  replay: tools/simulate --seed \(seed) --span \(order.span.milliseconds / 60_000)"
            + (order.ways.map { " --ways " + ($0.isEmpty ? "none" : $0.map(\.rawValue).joined(separator: ",")) } ?? "")
            + (order.hasLinks ? " --links" : "") + (order.hasModem ? " --modem" : ""))
    // Who waits for many seeds sees the first failure at once.
    fflush(nil)
}
let wall = max(now() - begin, 0.001)
// Each seed runs twice; both runs count for the pace.
print(
    "\(Int(simulated / 3600)) simulated hours, \(steps) steps, \(events) events stored, \(deliveries) messages delivered,"
        + " \(arrivals) taken by other ways, \(commands) commands signed by phones, \(presses) unsigned,"
        + " \(orders) carried out, \(coded) of them with a code, \(texts) texts, \(Int(wall)) s;"
        + " \(Int(2 * simulated / wall)) x real time, \(Int(2 * Double(steps) / wall)) steps/s")
print(
    broken.isEmpty
        ? "every promise held: \(order.count) seeds"
        : "broken: \(broken.count) of \(order.count) seeds: \(broken.prefix(20).map(String.init).joined(separator: " "))"
)
exit(broken.isEmpty ? 0 : 1)

import AlarmModel
package import PhoneProtocol

/// A run of the simulated world written down: a house and the list of its faults. Seeds that once broke a promise are
/// kept in this form, because what a seed draws changes with each new kind of fault.
///
/// As text: a line for the house, then one for each fault, in the order in which they were drawn.
package struct RunScript: Equatable, Sendable {
    struct Fault: Codable, Equatable, Sendable {
        enum What: Codable, Equatable, Sendable {
            case house(WorldFault)
            case phones(PhoneFault)
            case channels(ChannelFault)
            case codes(CodeUse)
            case links(LinkFault)
            case modem(ModemFault)
        }
        /// Nanoseconds since the world began.
        var at: Int64
        var what: What
    }

    private struct Head: Codable {
        /// For people: what it taught.
        var about: String
        /// The promise that it still breaks; nil: it holds.
        var breaks: String?
        /// Milliseconds after which the faults end.
        var end: Int64
        var house: HousePlan
    }

    package var about: String
    /// The promise that it still breaks; nil: it holds.
    package var breaks: Violation.Promise?
    /// When the faults end.
    var end: Duration
    var house: HousePlan
    var faults: [Fault]

    package enum Misfit: Error, CustomStringConvertible {
        case empty
        case line(Int, String)
        case promise(String)

        package var description: String {
            switch self {
            case .empty: "there is no line for the house"
            case .line(let number, let why): "line \(number): \(why)"
            case .promise(let name): "there is no promise '\(name)'"
            }
        }
    }

    /// What this seed draws.
    package init(of plan: RunPlan, about: String, breaks: Violation.Promise?) {
        let world = plan.preparedWorld()
        self.about = about
        self.breaks = breaks
        end = plan.selection.end(of: plan.span)
        house = world.planNow
        faults = world.agenda.inOrderOfArrival.compactMap { time, happening in
            let what: Fault.What? =
                switch happening {
                case .fault(let fault): .house(fault)
                case .phoneFault(let fault): .phones(fault)
                case .channelFault(let fault): .channels(fault)
                case .codeUse(let use): .codes(use)
                case .linkFault(let fault): .links(fault)
                case .modemFault(let fault): .modem(fault)
                case .input, .panelHears, .panelAccepts, .panelLoses, .panelTimer, .timer, .synced, .boot, .diskHeals,
                    .pushHears, .pushAccepts, .pushLoses, .pushTimer, .pushTakes, .phoneHears, .phoneTimer,
                    .pairingCheck,
                    .channel, .channelTimer, .linksChange, .modemWork, .modemChanges, .watchdogLook, .followerReturns,
                    .consoleTry:
                    nil
                }
            return what.map { Fault(at: time.nanoseconds, what: $0) }
        }
    }

    package init(_ text: String) throws {
        let lines = text.split(separator: "\n").map(String.init)
        guard let first = lines.first else { throw Misfit.empty }
        func read<Value: Decodable>(_ type: Value.Type, _ number: Int, _ line: String) throws(Misfit) -> Value {
            do throws(JSONError) {
                return try JSON(parsing: line).decoding(type)
            } catch {
                throw .line(number, "\(error)")
            }
        }
        let head = try read(Head.self, 1, first)
        about = head.about
        breaks = try head.breaks.map { name in
            guard let promise = Violation.Promise.allCases.first(where: { $0.rawValue == name }) else {
                throw Misfit.promise(name)
            }
            return promise
        }
        end = .milliseconds(head.end)
        house = head.house
        faults = try lines.enumerated().dropFirst().map { try read(Fault.self, $0.offset + 1, $0.element) }
    }

    package func text() throws(JSONError) -> String {
        let head = Head(about: about, breaks: breaks?.rawValue, end: end.milliseconds, house: house)
        var text = try JSON.encoding(head).text + "\n"
        for fault in faults { text += try JSON.encoding(fault).text + "\n" }
        return text
    }
}

extension RunScript.Fault {
    var happening: Happening {
        switch what {
        case .house(let fault): .fault(fault)
        case .phones(let fault): .phoneFault(fault)
        case .channels(let fault): .channelFault(fault)
        case .codes(let use): .codeUse(use)
        case .links(let fault): .linkFault(fault)
        case .modem(let fault): .modemFault(fault)
        }
    }
}

import AlarmModel
package import ApplianceCore
package import PhoneProtocol
import Uplinks

/// The links as one JSON object.
///
///     links[]   name, kind, interface, state, for_s, active, metered, standby, score, score_limit, why, latency_ms,
///               addresses[], bytes_this_month, budget, standby_bytes_a_month
///     modem     {step, operator, registration, access, signal, resets, problem, remedy} or null
///     texts_waiting   alarms that nobody has confirmed yet, or null without text messages
package enum LinksJSON {
    package static func of(_ report: LinksReport) -> JSON {
        .object([
            "links": .array(report.links.map { link($0, now: report.now) }),
            "modem": report.modem.map { modem($0) } ?? .null,
            "texts_waiting": report.textsWaiting.map { .integer(Int64($0)) } ?? .null,
        ])
    }

    private static func link(_ link: LinkReport, now: BootTime) -> JSON {
        .object([
            "name": .string(link.name), "kind": .string(link.kind.rawValue), "interface": text(link.interface),
            "state": .string(link.state.rawValue), "for_s": .integer((now - link.since).components.seconds),
            "active": .bool(link.isActive), "metered": .bool(link.isMetered),
            "standby": .string(link.standby.rawValue), "score": .integer(Int64(link.score)),
            "score_limit": .integer(Int64(link.scoreLimit)), "why": text(link.why),
            "latency_ms": link.latency.map { .number(Double($0.nanoseconds / 1000) / 1000) } ?? .null,
            "addresses": .array(link.addresses.map { .string($0.description) }),
            "bytes_this_month": .unsigned(link.bytesThisMonth),
            "budget": link.budget.map { .unsigned($0) } ?? .null,
            "standby_bytes_a_month": .unsigned(link.standbyBytesPerMonth),
        ])
    }

    private static func modem(_ modem: ModemReport) -> JSON {
        .object([
            "step": .string(modem.step.rawValue), "operator": text(modem.status?.operatorName),
            "registration": text(modem.status?.registration.rawValue), "access": text(modem.status?.access.rawValue),
            "signal": modem.status?.signal.map { .integer(Int64($0)) } ?? .null,
            "resets": .integer(Int64(modem.resets)), "problem": text(modem.problem?.description),
            "remedy": text(modem.problem?.remedy),
        ])
    }

    private static func text(_ value: String?) -> JSON { value.map(JSON.string) ?? .null }
}

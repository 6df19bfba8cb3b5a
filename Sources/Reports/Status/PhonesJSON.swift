import AlarmModel
package import ApplianceCore
import PhoneLink
package import PhoneProtocol

/// The phones as one JSON object.
///
///     connection       off, stopped, waiting, connecting, logging in, ready     server, problem   texts or null
///     waiting, overdue, dead, expired     counts of messages          pairing      what it waits for, or null
///     channels[]           kind, phase, problem, last_accepted, waiting
///     phones[]         id, name, person, level (app, account, topic, legacy or house), roles[], note, passkey
///                      (rp and origin of its page; only where there is one), waiting, overdue, last_accepted, last_received,
///                      last_heard (seconds since 1970 or null), last_error
///     pending_tokens[] original apps that ask to be let in            rejected[]   kind, count
package enum PhonesJSON {
    package static func of(_ report: PhonesReport) -> JSON {
        .object([
            "connection": .string(report.connection.rawValue), "server": text(report.server),
            "problem": text(report.problem),
            "waiting": number(report.waiting), "overdue": number(report.overdue), "dead": number(report.dead),
            "expired": number(report.expired), "pairing": text(report.pairing),
            "ways": .array(report.channels.map { channel($0) }), "phones": .array(report.entries.map { entry($0) }),
            "pending_tokens": .array(report.pendingTokens.map(JSON.string)),
            "rejected": .array(
                report.rejected.map { .object(["kind": .string($0.kind), "count": .unsigned($0.count)]) }),
        ])
    }

    private static func channel(_ channel: PhonesReport.Channel) -> JSON {
        .object([
            "kind": .string(channel.kind), "phase": .string(channel.phase.rawValue), "problem": text(channel.problem),
            "last_accepted": time(channel.lastAccepted), "waiting": number(channel.waiting),
        ])
    }

    private static func entry(_ entry: PhonesReport.Entry) -> JSON {
        .object([
            "id": .string(entry.id), "name": .string(entry.name), "person": text(entry.person),
            "level": .string(entry.level.rawValue), "roles": .array(entry.roles.map(JSON.string)),
            "note": text(entry.note), "passkey": entry.passkey.map { passkey($0) }, "waiting": number(entry.waiting),
            "overdue": number(entry.overdue),
            "last_accepted": time(entry.lastAccepted), "last_received": time(entry.lastReceived),
            "last_heard": time(entry.lastHeard), "last_error": text(entry.lastError),
        ])
    }

    private static func passkey(_ place: PasskeyPlace) -> JSON {
        .object(["rp": .string(place.relyingParty), "origin": .string(place.origin)])
    }

    private static func text(_ value: String?) -> JSON { value.map(JSON.string) ?? .null }
    private static func number(_ value: Int) -> JSON { .integer(Int64(value)) }
    private static func time(_ value: WallTime?) -> JSON { value.map { .integer($0.seconds) } ?? .null }
}

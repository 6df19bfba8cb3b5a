package import AlarmModel
import ApplianceCore
import PanelLink
package import PhoneProtocol

/// The status as one JSON object.
///
///     daemon           {site, version, uptime_s, clients}, or null: no daemon runs, this is what the journal holds
///     timestamp        seconds since 1970      time_trusted  true, false, null without daemon      maintenance
///     panel            {link: up|resynchronising|down, phase, host, problem, installer_mode, temperatures[]}
///     partitions[]     partition, name, state, mode, busy, auto_arming, alarm_memory, alarm_zones[], trouble, chime,
///                      armed_with_bypass, user, user_name, stale[]
///     zones[]          zone, name, partition, open, alarm, tamper, fault, low_battery, bypassed (true, false or null),
///                      last_opened, last_closed (seconds since 1970 or null), stale[]
///     troubles[]       trouble, state (ok, trouble or null), stale (true or false)
///     store            {last_seq, problem, waiting, dropped, latency_ms: {count, p50, p90, p99, max} or null}
///     links            as `links --json` shows them, or null without a daemon
///     clock_problem    why the clock is not trusted, or null
///     heartbeat        {place, last_answered, misses, problem}, or null: none is configured
///     schedule[]       partition, at (seconds since 1970); only while the schedule is about to arm something
///     presence         {state: home|not_home|unknown, topic}; only where a topic says who is at home
///     power            only with a UPS, or where the board says something of its voltage: {panel_mains, panel_battery (ok, trouble or null), ups: {name, server, supply: mains|battery|low,
///                      charge, minutes_left, last_read, problem, lost} or null, voltage_low (true, false or null)}
///     phones           as `phones list --json` shows them, or null without a daemon
///
/// null is "not known". `stale` names the members that were true when the link was lost, and may not be any more.
package enum StatusJSON {
    package static func of(_ view: StatusView) -> JSON {
        .object([
            "daemon": view.daemon.map { daemon in
                .object([
                    "site": .string(daemon.siteName), "version": .string(daemon.version),
                    "uptime_s": .integer(daemon.uptime.components.seconds), "clients": .integer(Int64(daemon.clients)),
                ])
            } ?? .null,
            "timestamp": .integer(view.time.seconds), "time_trusted": flag(view.daemon?.isTimeTrusted),
            "maintenance": .bool(view.isMaintenance), "panel": panel(view),
            "partitions": .array(view.panel.partitions.map { partition($0) }),
            "zones": .array(view.panel.zones.map { zone($0) }),
            "troubles": .array(view.panel.system.readings.map { trouble($0) }), "store": store(view.store),
            "links": view.links.map { LinksJSON.of($0) } ?? .null,
            "clock_problem": text(view.daemon?.clockProblem), "heartbeat": deadManPing(view.daemon?.deadManPing),
            "cameras": view.daemon?.cameras.map { .array($0.map { camera($0) }) },
            "calls": view.daemon?.calls.map { calls($0) },
            "updates": view.daemon?.updates.map { UpdatesText.json($0) },
            "schedule": view.daemon?.schedule.map { .array($0.map { arming($0) }) },
            "presence": view.daemon?.presence.map { presence($0) },
            "power": view.power.json,
            "phones": view.phones.map { PhonesJSON.of($0) } ?? .null,
        ])
    }

    private static func arming(_ arming: RemindersRecord.Arming) -> JSON {
        .object(["partition": .integer(Int64(arming.partition)), "at": .integer(arming.at.seconds)])
    }

    private static func presence(_ report: PresenceReport) -> JSON {
        .object(["state": .string(report.presence.rawValue), "topic": .string(report.topic)])
    }

    private static func calls(_ calls: CallsReport) -> JSON {
        .object([
            "provider": .string(calls.place), "names": .array(calls.names.map { .string($0) }),
            "hears_keys": .bool(calls.hasKeys), "waiting": .integer(Int64(calls.waiting)),
            "last_taken": calls.lastTaken.map { .integer($0.seconds) } ?? .null, "problem": text(calls.problem),
        ])
    }

    private static func camera(_ camera: CameraReport) -> JSON {
        .object([
            "name": .string(camera.name), "problem": text(camera.problem),
            "last_picture": camera.lastPicture.map { .integer($0.seconds) } ?? .null,
        ])
    }

    private static func panel(_ view: StatusView) -> JSON {
        .object([
            "link": .string(view.panel.link.rawValue), "phase": text(view.daemon?.phase.rawValue),
            "host": text(view.daemon?.host), "problem": text(view.daemon?.problem),
            "installer_mode": .bool(view.panel.system.isInstallerMode),
            "temperatures": .array(
                view.panel.system.temperatures.map {
                    .object([
                        "thermostat": .integer(Int64($0.thermostat)), "place": .string($0.place.rawValue),
                        "degrees": .integer(Int64($0.degrees)),
                    ])
                }),
        ])
    }

    private static func deadManPing(_ deadManPing: DeadManPingReport?) -> JSON {
        guard let deadManPing else { return .null }
        return .object([
            "place": .string(deadManPing.place),
            "last_answered": deadManPing.lastAnswered.map { .integer($0.seconds) } ?? .null,
            "misses": .integer(Int64(deadManPing.misses)), "problem": text(deadManPing.problem),
        ])
    }

    private static func partition(_ partition: PartitionState) -> JSON {
        var user: Int?
        if case .user(let number)? = partition.lastChangedBy { user = number }
        let status = partition.shownStatus.last
        return .object([
            "partition": .integer(Int64(partition.number)), "name": text(partition.name),
            "state": text(status.map(PartitionText.key)),
            "mode": text(status?.mode?.rawValue), "busy": .bool(partition.isBusy),
            "auto_arming": .bool(partition.isAutoArming), "alarm_memory": .bool(partition.hasAlarmMemory),
            "siren_stopped": partition.openIncident?.sirenStopped.map { _ in .bool(true) },
            "alarm_zones": .array(partition.alarmZones.map { .integer(Int64($0)) }),
            "trouble": flag(partition.trouble.last), "chime": flag(partition.chime.last),
            "armed_with_bypass": .bool(partition.isArmedWithBypass), "user": number(user),
            "user_name": text(partition.lastChangedByName),
            "stale": stale([
                ("state", isStale(partition.status)), ("trouble", isStale(partition.trouble)),
                ("chime", isStale(partition.chime)),
            ]),
        ])
    }

    package static func zone(_ zone: ZoneState) -> JSON {
        .object([
            "zone": .integer(Int64(zone.number)), "name": text(zone.name), "partition": number(zone.partition),
            "open": flag(zone.open.last), "alarm": flag(zone.alarm.last), "tamper": flag(zone.tamper.last),
            "fault": flag(zone.fault.last), "low_battery": flag(zone.lowBattery.last),
            "bypassed": flag(zone.bypassed.last),
            "last_opened": zone.lastOpened.map { .integer($0.seconds) } ?? .null,
            "last_closed": zone.lastClosed.map { .integer($0.seconds) } ?? .null,
            "stale": stale([
                ("open", isStale(zone.open)), ("alarm", isStale(zone.alarm)), ("tamper", isStale(zone.tamper)),
                ("fault", isStale(zone.fault)), ("low_battery", isStale(zone.lowBattery)),
                ("bypassed", isStale(zone.bypassed)),
            ]),
        ])
    }

    private static func trouble(_ reading: SystemReading) -> JSON {
        .object([
            "trouble": .string(reading.trouble.key), "state": text(reading.health.last?.rawValue),
            "stale": .bool(isStale(reading.health)),
        ])
    }

    private static func store(_ store: StoreReport) -> JSON {
        func milliseconds(_ span: Duration) -> JSON { .number(Double(span.nanoseconds / 1000) / 1000) }
        return .object([
            "last_seq": .integer(store.lastSequence.number), "problem": text(store.problem),
            "waiting": .integer(Int64(store.waitingEvents)), "dropped": .unsigned(store.droppedEvents),
            "latency_ms": store.latency.map { latency in
                .object([
                    "count": .integer(Int64(latency.count)), "p50": milliseconds(latency.p50),
                    "p90": milliseconds(latency.p90), "p99": milliseconds(latency.p99),
                    "max": milliseconds(latency.max),
                ])
            } ?? .null,
        ])
    }

    private static func isStale<Value>(_ reading: Reading<Value>) -> Bool {
        if case .stale = reading { true } else { false }
    }

    private static func stale(_ members: [(String, Bool)]) -> JSON {
        .array(members.filter { $0.1 }.map { .string($0.0) })
    }

    private static func flag(_ value: Bool?) -> JSON { value.map(JSON.bool) ?? .null }
    private static func text(_ value: String?) -> JSON { value.map(JSON.string) ?? .null }
    private static func number(_ value: Int?) -> JSON { value.map { .integer(Int64($0)) } ?? .null }
}

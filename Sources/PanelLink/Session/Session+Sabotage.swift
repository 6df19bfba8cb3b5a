#if SABOTAGE
    import AlarmModel

    /// Deliberate bugs about what is told of alarms, kept apart from the code that they break: each changes what comes out
    /// of a turn of the session.
    extension Session {
        /// - Parameter actions: ordered in this turn
        package mutating func spoil(_ actions: inout [PanelAction]) {
            switch sabotage {
            case .sirenEndsAlarm:
                reducer.spoilIncidents { incident in
                    guard incident.isOpen, let time = incident.sirenStopped else { return }
                    incident.end = Incident.End(.armedAgain, at: time)
                }
            case .silenceIsDisarming:
                actions.spoilEvents { event in
                    if event.flags.contains(.endsAlarm), event.type != .armed { event.type = .disarmed }
                }
            case .forgetsIncident:
                guard state.link != .up else { return }
                for partition in state.partitions {
                    reducer.changeKnown(partition: partition.number) { $0.incident = nil }
                }
            case .memoryUntold: actions.removeAll { $0.event?.code == EventCode.alarmUnheard.rawValue }
            case .endUntold: actions.removeAll { $0.event?.type == .disarmed }
            case .namesWrongZone:
                actions.spoilEvents { event in
                    guard event.type == .alarm, let zone = event.zone else { return }
                    (event.zone, event.zoneName) = (zone % 64 + 1, nil)
                }
            case .refusalIsDone:
                for (index, action) in actions.enumerated() {
                    guard case .outcome(let id, .failed) = action else { continue }
                    actions[index] = .outcome(id, .done)
                }
            default: break
            }
        }
    }

    extension [PanelAction] {
        fileprivate mutating func spoilEvents(_ change: (inout Event) -> Void) {
            for (index, action) in enumerated() {
                guard var event = action.event else { continue }
                change(&event)
                self[index] = .event(event)
            }
        }
    }

    extension StateReducer {
        fileprivate mutating func spoilIncidents(_ change: (inout Incident) -> Void) {
            for partition in state.partitions {
                changeKnown(partition: partition.number) { partition in
                    guard var incident = partition.incident else { return }
                    change(&incident)
                    partition.incident = incident
                }
            }
        }
    }

    extension PanelAction {
        fileprivate var event: Event? {
            if case .event(let event) = self { event } else { nil }
        }
    }
#endif

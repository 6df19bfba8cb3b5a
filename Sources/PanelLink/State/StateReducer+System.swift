import AlarmModel

extension TroubleBits {
    /// What each bit of 849 says, lowest bit first.
    static let meanings: [(bit: TroubleBits, trouble: Trouble)] = [
        (.service, .service), (.ac, .ac), (.phoneLine, .phoneLine), (.failureToCommunicate, .failureToCommunicate),
        (.zoneFault, .zoneFault), (.zoneTamper, .zoneTamper), (.zoneBattery, .zoneBattery), (.clock, .clock),
    ]

    var troubles: [Trouble] { Self.meanings.filter { contains($0.bit) }.map(\.trouble) }
}

extension Trouble {
    /// Those for which the panel lights its trouble light.
    fileprivate static let ofThePanel: [Trouble] = [
        .ac, .battery, .bell, .phoneLine, .failureToCommunicate, .tamper, .fireTrouble, .clock, .service, .zoneFault,
        .zoneTamper, .zoneBattery,
    ]
}

extension StateReducer {
    /// 849 is the full set: what it does not name is over.
    mutating func take(_ bits: TroubleBits) {
        setTroubleBits(bits)
        changeSystem { system in
            for meaning in TroubleBits.meanings {
                system[meaning.trouble] = .known(bits.contains(meaning.bit) ? .trouble : .ok)
            }
        }
    }

    /// Whether a line says nothing that another line has not told: 840 beside any trouble, 849 with troubles that are
    /// known, the empty 849 where all of them are over, or 654 right behind the line that raised the alarm.
    func isRepeat(_ message: DSCMessage, at now: Moment) -> Bool {
        if case .partition(let number, .alarm) = message { return isAlarmTold(number, at: now) }
        let bits: TroubleBits?
        if case .troubleLED(_, true) = message {
            bits = nil
        } else if case .troubles(let named) = message {
            bits = named
        } else {
            // Most lines: the zones are not looked at for them.
            return false
        }
        let system = state.system
        let isWrong = { (trouble: Trouble) in system[trouble].last == .trouble }
        let isMissing = state.zones.contains { $0.fault.last == true }
        let isWeak = state.zones.contains { $0.lowBattery.last == true }
        guard let bits else { return isMissing || isWeak || Trouble.ofThePanel.contains(where: isWrong) }
        guard !bits.isEmpty else { return !TroubleBits.meanings.contains { isWrong($0.trouble) } }
        return bits.troubles.allSatisfy { trouble in
            if isWrong(trouble) { return true }
            return switch trouble {
            case .service: [.battery, .bell, .tamper, .fireTrouble].contains(where: isWrong)
            case .zoneFault: isMissing
            case .zoneBattery: isWeak
            case .zoneTamper: state.zones.contains { $0.tamper.last == true }
            case .ac, .battery, .bell, .phoneLine, .failureToCommunicate, .tamper, .fireTrouble, .clock, .keybus,
                .fireKey, .auxiliaryKey, .panicKey, .smoke:
                false
            }
        }
    }

    /// 849 stopped coming and the trouble LED is off: what it last named is over.
    ///
    /// - Returns: the troubles that ended by this
    mutating func endSilentTroubles() -> [Trouble] {
        let ended = TroubleBits.meanings.map(\.trouble).filter { state.system[$0].last == .trouble }
        let spoken = TroubleBits.meanings.map(\.trouble).filter { state.system[$0] != .unknown }
        changeSystem { system in
            for trouble in spoken { system[trouble] = .known(.ok) }
        }
        setTroubleBits([])
        return ended
    }

    /// No trouble light is on anywhere: what the panel would light it for and has not told of is well.
    mutating func settleTroubles() {
        changeSystem { system in
            for trouble in Trouble.ofThePanel where system[trouble].last != .trouble { system[trouble] = .known(.ok) }
        }
    }

    /// Whether the trouble LED is known to be off wherever it is known at all.
    var troubleLEDIsOff: Bool {
        state.partitions.contains { $0.trouble.current == false }
            && !state.partitions.contains { $0.trouble.current == true }
    }

    mutating func setKeybus(_ health: Health) { changeSystem { $0[.keybus] = .known(health) } }

    mutating func take(_ temperature: Temperature) {
        changeSystem { system in
            system.temperatures.removeAll {
                $0.thermostat == temperature.thermostat && $0.place == temperature.place
            }
            system.temperatures.append(temperature)
            system.temperatures.sort {
                ($0.thermostat, $0.place.rawValue) < ($1.thermostat, $1.place.rawValue)
            }
        }
    }
}

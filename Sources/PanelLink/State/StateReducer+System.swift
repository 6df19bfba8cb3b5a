import AlarmModel

extension TroubleBits {
    /// What each bit of 849 says, lowest bit first.
    static let meanings: [(bit: TroubleBits, trouble: Trouble)] = [
        (.service, .service), (.ac, .ac), (.phoneLine, .phoneLine), (.failureToCommunicate, .failureToCommunicate),
        (.zoneFault, .zoneFault), (.zoneTamper, .zoneTamper), (.zoneBattery, .zoneBattery), (.clock, .clock),
    ]

    var troubles: [Trouble] { Self.meanings.filter { contains($0.bit) }.map(\.trouble) }
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

import AlarmModel
import PanelLink

extension PanelScript {
    private static let verbs = [
        "open", "close", "trip", "tamper", "zonefault", "zonebattery", "keypad", "key", "smoke", "ac", "battery",
        "bell",
        "phone", "communication", "paneltamper", "firedetector", "service", "installer", "keybus", "ring", "bufferfull",
        "temperature", "clock", "reboot", "powercycle", "vanish", "drop", "fault", "faults", "raw", "bytes",
    ]

    static func stimulus(_ words: inout ScriptWords) throws(ScriptError) -> PanelSimulator.Stimulus {
        let verb = try words.word("a verb")
        let stimulus = try stimulus(verb, &words)
        try words.finish()
        return stimulus
    }

    private static func stimulus(
        _ verb: String, _ words: inout ScriptWords
    ) throws(ScriptError) -> PanelSimulator.Stimulus {
        switch verb {
        case "open": return .open(zone: try zone(&words))
        case "close": return .close(zone: try zone(&words))
        case "trip":
            let zone = try zone(&words)
            return .trip(zone: zone, span: words.isEmpty ? .seconds(3) : try words.duration())
        case "tamper": return .zoneTamper(zone: try zone(&words), try words.onOff())
        case "zonefault": return .zoneFault(zone: try zone(&words), try words.onOff())
        case "zonebattery":
            return .zoneBattery(zone: try zone(&words), low: try words.choice("ok or low", ["ok": false, "low": true]))
        case "keypad": return try keypad(&words)
        case "key":
            return .key(
                try words.choice("a key", ["fire": .fire, "auxiliary": .auxiliary, "panic": .panic]))
        case "smoke": return .smoke(try words.onOff())
        case "ac": return .trouble(.ac, try !words.onOff())
        case "battery": return .trouble(.battery, try words.choice("ok or low", ["ok": false, "low": true]))
        case "bell": return .trouble(.bell, try words.health())
        case "phone": return .trouble(.phoneLine, try words.health())
        case "communication": return .trouble(.failureToCommunicate, try words.health())
        case "paneltamper": return .trouble(.tamper, try words.health())
        case "firedetector": return .trouble(.fireTrouble, try words.health())
        case "service": return .trouble(.service, try words.health())
        case "installer": return .installer(try words.onOff())
        case "keybus": return .keybus(alive: try words.choice("up or down", ["up": true, "down": false]))
        case "ring": return .phoneRing
        case "bufferfull": return .eventBufferNearlyFull
        case "temperature":
            let place: Temperature.Place = try words.choice("a place", ["indoor": .indoor, "outdoor": .outdoor])
            let thermostat = try words.number("a thermostat", 1...4)
            let degrees = try words.number("degrees", -128...127)
            return .temperature(Temperature(thermostat: thermostat, place: place, degrees: degrees))
        case "clock":
            switch words.next {
            case "broadcast":
                words.skip()
                return .clockBroadcast
            case "lost":
                words.skip()
                return .trouble(.clock, true)
            default: return .clock(try words.clock())
            }
        case "reboot": return .rebootModule(down: words.isEmpty ? nil : try words.duration())
        case "powercycle": return .powerCycle(down: words.isEmpty ? nil : try words.duration())
        case "vanish": return .clientVanished
        case "drop": return .dropClient(reset: try words.choice("reset or close", ["reset": true, "close": false]))
        case "fault": return .fault(try fault(&words))
        case "faults":
            _ = try words.choice("off", ["off": false])
            return .fault(.none)
        case "raw":
            let text = try words.word("a line", keepsCase: true)
            guard text.count >= 3, text.allSatisfy(\.isASCII), text.prefix(3).allSatisfy(\.isNumber) else {
                throw words.error(.notLine(text))
            }
            return .rawLine(text)
        case "bytes": return .rawBytes(try words.hexadecimal())
        default: throw words.error(.notOneOf(verb, verbs))
        }
    }

    private static func zone(_ words: inout ScriptWords) throws(ScriptError) -> Int {
        try words.number("a zone", 1...64)
    }

    private static func keypad(_ words: inout ScriptWords) throws(ScriptError) -> PanelSimulator.Stimulus {
        let partition = try words.number("a partition", 1...8)
        let verb = try words.word("what happens at the keypad")
        switch verb {
        case "arm":
            let intent = try words.choice("a mode", PanelSimulator.ArmIntent.self)
            return .arm(partition: partition, intent, user: try user(&words))
        case "disarm": return .disarm(partition: partition, user: try user(&words))
        case "code", "keys":
            let keys = try words.word("keys")
            guard keys.allSatisfy({ "0123456789*#".contains($0) }) else { throw words.error(.notKeys(keys)) }
            return .keys(partition: partition, Secret(keys))
        case "duress": return .duress(partition: partition)
        case "busy": return .busy(partition: partition, try words.onOff())
        case "chime": return .chime(partition: partition, try words.onOff())
        case "output": return .output(partition: partition, output: try words.number("an output", 1...4))
        case "autoarm": return .autoArming(partition: partition)
        default:
            throw words.error(
                .notOneOf(
                    verb, ["arm", "disarm", "code", "keys", "duress", "busy", "chime", "output", "autoarm"]))
        }
    }

    private static func user(_ words: inout ScriptWords) throws(ScriptError) -> Int? {
        guard !words.isEmpty else { return nil }
        _ = try words.choice("user", ["user": true])
        return try words.number("a user", 1...9999)
    }

    private static func fault(_ words: inout ScriptWords) throws(ScriptError) -> PanelFault {
        let name = try words.word("a switch")
        switch name {
        case "fragment": return .fragment(try words.choice("a kind", PanelFaults.Fragmentation.self))
        case "coalesce": return .coalesce(try words.onOff())
        case "badchecksum": return .badChecksum(try words.count())
        case "lowercase": return .lowercase(try words.onOff())
        case "garbage": return .garbage(try words.count())
        case "silent": return .silent(try words.choice("a kind", PanelFaults.Silence.self))
        case "secondclient": return .secondClient(try words.choice("a kind", PanelFaults.SecondClient.self))
        case "stalesession": return .staleSession(try span(&words))
        case "slowack": return .slowAck(try span(&words))
        case "noack": return .noAck(try words.count())
        case "wrongack": return .wrongAck(try words.count())
        case "lateack": return .lateAck(try span(&words))
        case "eventbeforeack": return .eventBeforeAck(try words.count())
        case "busy":
            if words.next == "off" {
                words.skip()
                return .busy(PanelFaults.Busy(code: 0, times: 0))
            }
            let code = try words.number("a code of 502", 0...999)
            return .busy(PanelFaults.Busy(code: code, times: words.isEmpty ? 1 : try words.count()))
        case "quirk501": return .quirk501(try words.onOff())
        case "reboot": return .reboot(try span(&words))
        case "flood": return .flood(try words.choice("a kind", PanelFaults.Flood.self))
        case "logintimeout": return .loginTimeout(try words.onOff())
        case "wrongpassword": return .wrongPassword(try words.onOff())
        case "mutepassword": return .mutePassword(try words.onOff())
        case "firewall": return .firewall(try words.onOff())
        case "code900": return .code900(try words.onOff())
        case "blanking": return .blanking(try words.onOff())
        case "tcpstall": return .tcpStall(try words.onOff())
        case "clockskew": return .clockSkew(try span(&words, allowsNegative: true))
        case "proxy": return .proxy(try words.onOff())
        default: throw words.error(.notOneOf(name, faultNames))
        }
    }

    /// The switches, as a script writes them; case does not matter.
    package static let faultNames = [
        "fragment", "coalesce", "badChecksum", "lowercase", "garbage", "silent", "secondClient", "staleSession",
        "slowAck", "noAck", "wrongAck", "lateAck", "eventBeforeAck", "busy", "quirk501", "reboot", "flood",
        "loginTimeout", "wrongPassword", "mutePassword", "firewall", "code900", "blanking", "tcpStall", "clockSkew",
        "proxy",
    ]

    private static func span(
        _ words: inout ScriptWords, allowsNegative: Bool = false
    ) throws(ScriptError) -> Duration {
        if words.next == "off" {
            words.skip()
            return .zero
        }
        let span = try words.duration()
        guard allowsNegative || span >= .zero else { throw words.error(.notDuration("\(span)")) }
        return span
    }
}

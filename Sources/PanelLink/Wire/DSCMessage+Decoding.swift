import AlarmModel

extension DSCMessage {
    /// Reads the data of a line by the tables of docs/envisalink.md 2.2 and 2.3.
    ///
    /// A code whose meaning needs no data is believed whatever follows it (serial modules add some). A code that needs
    /// data and got other data is `unknown(.wrongData)`.
    ///
    /// - Parameters:
    ///   - code: 0…999
    ///   - data: the characters between code and checksum
    package init(code: Int, data: ArraySlice<UInt8>) {
        let message: DSCMessage?
        switch code {
        case 500...599: message = Self.session(code, data)
        case 600...639: message = Self.zone(code, data)
        case 640...799: message = Self.partition(code, data)
        default: message = Self.system(code, data)
        }
        self = message ?? .unknown(.wrongData)
    }

    /// 5xx
    private static func session(_ code: Int, _ data: ArraySlice<UInt8>) -> DSCMessage? {
        switch code {
        case 500: number(data, count: 3).map { .acknowledged(command: $0) }
        case 501: .commandError
        case 502: number(data, count: 3).map { .systemError($0) }
        case 505: number(data, count: 1).flatMap(LoginReply.init(rawValue:)).map { .login($0) }
        case 510: byte(data).map { .leds($0) }
        case 511: byte(data).map { .flashingLEDs($0) }
        case 550: clock(data).map { .time($0) }
        case 560: .phoneRing
        case 561: temperature(data, .indoor).map { .temperature($0) }
        case 562: temperature(data, .outdoor).map { .temperature($0) }
        default: .unknown(.unknownCode)
        }
    }

    /// 600…639
    private static func zone(_ code: Int, _ data: ArraySlice<UInt8>) -> DSCMessage? {
        switch code {
        case 601, 602:
            partitionAndZone(data).map { .zoneAlarm(partition: $0.partition, zone: $0.zone, active: code == 601) }
        case 603, 604:
            partitionAndZone(data).map { .zoneTamper(partition: $0.partition, zone: $0.zone, active: code == 603) }
        case 605, 606: zoneNumber(data).map { .zoneFault(zone: $0, active: code == 605) }
        case 609, 610: zoneNumber(data).map { .zoneOpen(zone: $0, open: code == 609) }
        case 615: timers(data).map { .zoneTimers($0) }
        case 616: bypassed(data).map { .bypassed($0) }
        case 620: .duress
        case 621, 622: .keyAlarm(.fire, active: code == 621)
        case 623, 624: .keyAlarm(.auxiliary, active: code == 623)
        case 625, 626: .keyAlarm(.panic, active: code == 625)
        case 631, 632: .smoke(active: code == 631)
        default: .unknown(.unknownCode)
        }
    }

    /// 640…799
    private static func partition(_ code: Int, _ data: ArraySlice<UInt8>) -> DSCMessage? {
        switch code {
        case 650: partition(data, .ready)
        case 651: partition(data, .notReady)
        case 652: armed(data)
        case 653: partition(data, .readyForce)
        case 654: partition(data, .alarm)
        case 655: partition(data, .disarmed)
        case 656: partition(data, .exitDelay)
        case 657: partition(data, .entryDelay)
        case 658: partitionNumber(data).map { .keypadLockout(partition: $0) }
        case 659: partitionNumber(data).map { .failedToArm(partition: $0) }
        case 660: partitionNumber(data).map { .outputInProgress(partition: $0) }
        case 663, 664: partitionNumber(data).map { .chime(partition: $0, on: code == 663) }
        case 670: partitionNumber(data).map { .invalidCode(partition: $0) }
        case 671: partitionNumber(data).map { .functionNotAvailable(partition: $0) }
        case 672: partitionNumber(data).map { .failureToArm(partition: $0) }
        case 673: partitionNumber(data).map { .busy(partition: $0) }
        case 674: partitionNumber(data).map { .autoArming(partition: $0) }
        case 680: .installerMode
        case 700: partitionAndUser(data).map { .userClosing(partition: $0.partition, user: $0.user) }
        case 701: partitionNumber(data).map { .specialClosing(partition: $0) }
        case 702: partitionNumber(data).map { .partialClosing(partition: $0) }
        case 750: partitionAndUser(data).map { .userOpening(partition: $0.partition, user: $0.user) }
        case 751: partitionNumber(data).map { .specialOpening(partition: $0) }
        default: .unknown(.unknownCode)
        }
    }

    /// 800 and above
    private static func system(_ code: Int, _ data: ArraySlice<UInt8>) -> DSCMessage? {
        switch code {
        case 800, 801: .trouble(.battery, active: code == 800)
        case 802, 803: .trouble(.ac, active: code == 802)
        case 806, 807: .trouble(.bell, active: code == 806)
        case 814, 815: .trouble(.failureToCommunicate, active: code == 814)
        case 829, 830: .trouble(.tamper, active: code == 829)
        case 842, 843: .trouble(.fireTrouble, active: code == 842)
        case 816: .eventBufferNearlyFull
        case 832, 833: batteryZone(data).map { .zoneLowBattery(zone: $0, active: code == 832) }
        case 840, 841: partitionNumber(data).map { .troubleLED(partition: $0, on: code == 840) }
        case 849: byte(data).map { .troubles(TroubleBits(rawValue: $0)) }
        case 900: .codeRequired(.user)
        case 912: output(data)
        case 921: .codeRequired(.master)
        case 922: .codeRequired(.installer)
        case 810...813, 821...828, 896, 897: .serialModule
        default: .unknown(.unknownCode)
        }
    }
}

extension DSCLine {
    /// The line as it reads from `code` and `data`.
    ///
    /// - Parameters:
    ///   - code: three digits
    ///   - data: printable ASCII
    package init(code: String, data: String, stamp: String? = nil) {
        self.init(
            code: code, data: data, stamp: stamp,
            message: DSCMessage(code: Int(code) ?? -1, data: Array(data.utf8)[...]))
    }
}

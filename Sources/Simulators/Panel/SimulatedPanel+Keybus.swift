import AlarmModel

/// What its keypads show, as the keybus carries it.
extension SimulatedPanel {
    /// Code and data of the line that tells what a partition is doing.
    func primaryLine(of partition: Int) -> String {
        switch status(of: partition) {
        case .disarmed: return "655\(partition)"
        case .ready: return "650\(partition)"
        case .readyForce: return "653\(partition)"
        case .notReady: return "651\(partition)"
        case .exitDelay: return "656\(partition)"
        case .armed(let mode): return armedLine(partition, mode)
        case .entryDelay: return "657\(partition)"
        case .alarm(let mode):
            guard partitions[partition - 1].isSilentAlarm else { return "654\(partition)" }
            if mode != nil { return armedLine(partition, mode) }
            return isReady(partition) ? "650\(partition)" : "651\(partition)"
        case .notEnabled: return "673\(partition)"
        }
    }

    private func armedLine(_ partition: Int, _ mode: ArmMode?) -> String {
        switch mode ?? .away {
        case .away: "652\(partition)0"
        case .stay: "652\(partition)1"
        case .zeroEntryAway: "652\(partition)2"
        case .zeroEntryStay: "652\(partition)3"
        }
    }

    /// 616: a bit per zone, the first byte for zones 1…8, the lowest bit for the lowest.
    var bypassField: String {
        stride(from: 0, to: 64, by: 8).map { first in
            var byte: UInt8 = 0
            for bit in 0..<8 where zones[first + bit].isBypassed { byte |= 1 << UInt8(bit) }
            return byte.padded(radix: 16, uppercase: true)
        }.joined()
    }

    /// 510 for partition 1: Ready, Armed, Memory, Bypass, Trouble, Program, Fire, Backlight.
    var leds: UInt8 {
        let first = partitions[0]
        var bits: UInt8 = 0x80
        let isReadyLit =
            switch status(of: 1) {
            case .ready, .readyForce, .exitDelay: true
            case .disarmed: isReady(1) || isForceReady(1)
            case .alarm(let mode): mode == nil && first.isSilentAlarm && isReady(1)
            case .notReady, .armed, .entryDelay, .notEnabled: false
            }
        if first.menu == .bypass || isInstallerMode {
            bits |= 0x20
        } else if isReadyLit {
            bits |= 0x01
        }
        if first.mode != nil { bits |= 0x02 }
        if first.hasMemory { bits |= 0x04 }
        let isBypassLit = zonesOf(1).contains { zones[$0.number - 1].isBypassed || zones[$0.number - 1].isAutoBypassed }
        if isBypassLit, first.menu != .bypass { bits |= 0x08 }
        if !troubleBits.isEmpty { bits |= 0x10 }
        if first.isFireAlarm { bits |= 0x40 }
        return bits
    }
}

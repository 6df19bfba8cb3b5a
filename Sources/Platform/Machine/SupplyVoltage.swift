/// Whether a Raspberry Pi gets too little voltage. Its kernel looks every two seconds and shows it as a sensor of the name
/// `rpi_volt`, whose `in0_lcrit_alarm` is then 1.
package enum SupplyVoltage {
    /// - Parameter directory: where the kernel shows its sensors
    /// - Returns: nil: this machine has no such sensor
    package static func isLow(in directory: String = "/sys/class/hwmon") -> Bool? {
        for number in 0..<16 where text("\(directory)/hwmon\(number)/name") == "rpi_volt" {
            switch text("\(directory)/hwmon\(number)/in0_lcrit_alarm") {
            case "1": return true
            case "0": return false
            default: return nil
            }
        }
        return nil
    }

    private static func text(_ file: String) -> String? {
        (try? FileReader.read(file, limit: 64)).map { String(decoding: $0.prefix { $0 != 10 }, as: UTF8.self) }
    }
}

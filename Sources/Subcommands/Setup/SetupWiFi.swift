import AlarmModel
import Platform
import YAMLConfiguration

/// The house's Wi-Fi in the talk of a set-up at the box: asked where it is the only way, which is where there is an adapter
/// and no cable.
enum SetupWiFi {
    static func isOnlyWay(_ interfaces: [InterfaceList.Interface]) -> Bool {
        interfaces.contains { $0.name == NetworkSettings.wifiName }
            && !interfaces.contains { $0.name.hasPrefix("eth") && $0.hasCarrier }
    }

    /// nil: it is not wanted.
    static func ask(_ talk: SetupTalk) throws(SetupTalk.Over) -> SetupAnswers.WiFi? {
        talk.say("", "No network cable is in, and this box has Wi-Fi.")
        guard try talk.confirm("Use the Wi-Fi of the house") else { return nil }
        var wifi = SetupAnswers.WiFi(country: "AT", name: "x")
        wifi.name = try talk.ask("Name of the network", expected: "a name of 1 to 32 bytes") { text in
            var tried = wifi
            tried.name = text
            return !text.isEmpty && isValid(tried) ? text : nil
        }
        wifi.password = try talk.askHidden(
            "Its password, which is not shown; Enter if it has none",
            expected: "8 to 63 letters, digits and signs as on an English keyboard, or 64 hexadecimal digits"
        ) { text in
            var tried = wifi
            tried.password = Secret(text)
            return isValid(tried)
        }
        wifi.country = try talk.ask(
            "Country where the box is, two letters",
            expected: "two letters such as AT, DE or US; they say which channels "
                + "are allowed"
        ) { text in
            var tried = wifi
            tried.country = text.uppercased()
            return isValid(tried) ? tried.country : nil
        }
        return wifi
    }

    /// As the file's reader says.
    private static func isValid(_ wifi: SetupAnswers.WiFi) -> Bool {
        guard let address = IPAddress("192.0.2.1") else { return false }
        var answers = SetupAnswers(
            module: Endpoint(address: address, port: SetupAnswers.modulePort), password: Secret("user"))
        answers.wifi = wifi
        return answers.errors.isEmpty
    }
}

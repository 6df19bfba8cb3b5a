import AlarmModel
import Uplinks

/// `links.modem`, where the box dials itself.
struct ModemSection: SettingsSection {
    var settings = ModemSettings(subscription: ModemSubscription(apn: ""))

    static let table: [Setting<Self>] = {
        let apn = "the name of the provider's access point, such as internet"
        return [
            .init("apn", .text(apn), \.settings.subscription.apn).required("% has no access point", ": \(apn)"),
            .init("pin", .digits("the SIM card's PIN: 4 to 8 digits", 4...8), \.settings.pin).secret,
            .init("user", .text("up to 64 characters of printable ASCII"), \.settings.subscription.user),
            .init(
                "password", .printable("up to 64 characters of printable ASCII", 1...64, spaces: true),
                \.settings.subscription.password
            ).secret,
            .init("roaming", .flag, \.settings.subscription.allowsRoaming),
            .init("ip", .caseName, \.settings.subscription.ipType),
        ]
    }()
}

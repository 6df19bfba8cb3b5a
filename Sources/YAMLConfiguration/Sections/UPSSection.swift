import AlarmModel
import PhoneLink

/// `ups`: a NUT server in the house, which says what the box runs on.
struct UPSSection: SettingsSection {
    private var host: String?
    private var port: UInt16?
    private var name: String?
    private var login = Login()
    private var interval: Duration?

    static let table: [Setting<Self>] = {
        let hosts = "the name or IP address of the NUT server, such as 192.168.1.20"
        let names = "the name of the UPS at its server, such as ups; 'upsc -l' shows it there"
        return [
            .init("host", .host(hosts), \.host).required("% has no host", ": \(hosts)"),
            .init("port", .port, \.port),
            .init("name", .text(names) { UPSSettings.isName($0) }, \.name).required("% has no name", ": \(names)"),
        ] + Login.table.within(\.login) + [
            .init("poll", .span(.seconds(1) ... .minutes(5)), \.interval)
        ]
    }()

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        let login = login.checked(section, &reading)
        guard let host, let name else { return }
        reading.warnOfPlainSecret(
            section["password"], host: host,
            remedy: "a user of upsd.users that may do nothing but look, in a network that is yours alone")
        var ups = UPSSettings(host: host, port: port, name: name, user: login?.user, password: login?.password)
        if let interval { ups.interval = interval }
        reading.draft.ups = ups
    }
}

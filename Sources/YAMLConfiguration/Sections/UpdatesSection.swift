import AlarmModel
import ApplianceCore
import PhoneLink

/// `updates`: a host of the owner's that offers newer versions.
struct UpdatesSection: SettingsSection {
    private var url: HTTPURL?
    private var installing = UpdateSource.Installing.asked

    static let table: [Setting<Self>] = {
        let addresses = "the address of an offer, such as https://updates.example.org/howalarming-rpi.offer"
        return [
            .init("url", .url(addresses), \.url).required("% has no url", ": \(addresses)"),
            .init("install", .caseName, \.installing),
        ]
    }()

    var source: UpdateSource? { url.map { UpdateSource($0, installing: installing) } }

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        guard let field = section["url"], let url, !url.isEncrypted else { return }
        reading.valueError(
            field, "'\(field.path)' begins with http://, so everybody on the way can change what is offered",
            expected: "https://")
    }
}

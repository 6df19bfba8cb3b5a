import AlarmModel
import ApplianceCore
import PhoneLink

/// `updates`: a host of the owner's that offers newer versions.
struct UpdatesSection: SettingsSection {
    private var url: HTTPURL?
    private var authorities: UpdateSource.Authorities?
    private var installing = UpdateSource.Installing.asked

    static let table: [Setting<Self>] = {
        let addresses = "the address of an offer, such as https://updates.example.org/howalarming-rpi.offer"
        return [
            .init("url", .url(addresses), \.url).required("% has no url", ": \(addresses)"),
            .init("install", .caseName, \.installing),
            .init("ca_file", .authorities, \.authorities),
        ]
    }()

    var source: UpdateSource? { url.map { UpdateSource($0, installing: installing, authorities: authorities) } }

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        guard let field = section["url"], let url, !url.isEncrypted else { return }
        reading.valueError(
            field, "'\(field.path)' begins with http://, so everybody on the way can change what is offered",
            expected: "https://")
    }
}

extension ValueKind where Value == UpdateSource.Authorities {
    /// With what the file holds: it goes along with each request, because the fetcher reads no files of the daemon.
    fileprivate static var authorities: Self {
        let expected = "the certificate of the host's own authority"
        let limit = FetchRequest.longestAuthorities
        return Self { reading, field in
            guard let path = ValueKind<String>.authorityFile.read(&reading, field),
                let file = reading.file(path, of: field, called: "the certificates", expected: expected)
            else { return nil }
            guard file.bytes.count <= limit else {
                return reading.refuse(
                    field, "the file of '\(field.path)' has more than \(limit / 1024) KB", expected: expected)
            }
            return UpdateSource.Authorities(file: path, pem: String(decoding: file.bytes, as: UTF8.self))
        }
    }
}

import AlarmModel
import ApplianceCore
import PhoneLink

/// `app`: where the owner hosts the web app.
struct AppSection: SettingsSection {
    private var url: HTTPURL?

    static let table: [Setting<Self>] = [
        .init("url", .appFolder, \.url).required("% has no url", ": \(ValueKind<HTTPURL>.appFolderWords)")
    ]

    var app: Configuration.AppSettings? { url.map { Configuration.AppSettings(url: $0) } }
}

extension ValueKind where Value == HTTPURL {
    fileprivate static var appFolderWords: String {
        "the https address of the folder with the web app, such as https://alarm.example.org/app/"
    }

    /// A name of its own over https. What is behind a '?' or '#' belongs to the app, which puts a pairing's code there.
    fileprivate static var appFolder: Self {
        .url(appFolderWords).checked { reading, field, url in
            let what: String
            if !url.isEncrypted {
                what = "begins with http://; browsers run the app over https only"
            } else if IPAddress(url.host) != nil {
                what = "has an IP address in place of a name; browsers give no certificates and no push to such places"
            } else if url.target.contains("?") || reading.written(field)?.contains("#") ?? false {
                what = "has a '?' or '#' behind the folder"
            } else if url.description.utf8.count > 200 {
                what = "is longer than 200 characters; a QR code and a notice have no room for it"
            } else if !url.target.hasSuffix("/") {
                what = "does not end with '/', so it names a file and no folder"
            } else {
                return url
            }
            return reading.refuse(field, "'\(field.path)' \(what)", expected: appFolderWords)
        }
    }
}

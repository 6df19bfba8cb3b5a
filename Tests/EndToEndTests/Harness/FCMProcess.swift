import Foundation
import PhoneProtocol

/// `howalarming-lab simulate fcm`: sign-in, messages and the database, with a service account of its own.
final class FCMProcess: ServiceProcess {
    static let place = "/up/box1"

    private(set) var phonesPort: UInt16 = 0
    private let accountFile: String

    init(in directory: TestDirectory, name: String = "fcm") throws {
        accountFile = "\(directory.path)/\(name)-account.json"
        try super.init(
            "fcm", mark: "fcm simulator listens:", in: directory, name: name,
            arguments: ["--phones-port", "0", "--place", Self.place])
        phonesPort = try port("phones-port")
        let made = try Program.run(
            ["openssl", "genpkey", "-algorithm", "RSA"], in: directory, executable: "/usr/bin/env")
        guard made.status == 0 else { throw HarnessError("openssl: \(made.errors)") }
        let account = JSON.object([
            "type": .string("service_account"), "project_id": .string("house-1"), "private_key_id": .string("kid1"),
            "private_key": .string(made.output), "client_email": .string("box@house-1.iam.gserviceaccount.com"),
            "token_uri": .string("https://localhost:\(port)/token"),
        ])
        _ = try directory.write("\(name)-account.json", account.text)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: accountFile)
    }

    /// The lines of the configuration for it.
    var section: [String] {
        [
            "fcm_v1:", "  service_account: '\(accountFile)'", "  host: localhost", "  port: \(port)",
            "  database: 'https://localhost:\(port)\(Self.place)'", "  ca_file: '\(authorityFile)'",
            "  timing: {reconnect_minimum: 50ms, reconnect_maximum: 400ms, reconnect_urgent: 200ms}",
        ]
    }

    /// What lies in the database, by key.
    func nodes() throws -> [(key: String, value: JSON)] {
        (try truth()["nodes"]?.arrayValue ?? []).compactMap { node in
            guard let key = node["key"]?.stringValue, let value = node["value"] else { return nil }
            return (key, value)
        }
    }

    /// Somebody who may write there puts it.
    func put(_ key: String, _ value: JSON) throws { try perform("put \(Self.place) \(key) \(value.text)") }
}

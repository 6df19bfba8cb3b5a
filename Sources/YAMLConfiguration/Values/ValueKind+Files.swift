import AlarmModel

extension ValueKind where Value == String {
    /// A path, from the directory of the configuration file on unless it begins with a slash.
    static func path(_ expected: String) -> Self {
        .text(expected).checked { reading, field, path in
            guard !ConfigurationText.hasControl(path) else {
                return reading.refuse(
                    field, "the path of '\(field.path)' holds a control character", expected: expected)
            }
            return reading.full(path)
        }
    }

    /// - Parameter unit: that makes it
    static func socket(of unit: String) -> Self {
        .text(
            "the path of the socket of \(unit), at most 107 bytes, beginning with a slash",
            otherwise: "holds no such path"
        ) { $0.hasPrefix("/") && $0.utf8.count <= 107 && !ConfigurationText.hasControl($0) }
    }

    /// A file with the authorities to trust instead of the system's.
    static var authorityFile: Self {
        let expected = "the path of a file with certificates of authorities in PEM form"
        return .path(expected).checked { reading, field, path in
            guard let file = reading.file(path, of: field, called: "the certificates", expected: expected) else {
                return nil
            }
            guard String(decoding: file.bytes, as: UTF8.self).includes("-----BEGIN CERTIFICATE-----") else {
                return reading.refuse(field, "the file of '\(field.path)' holds no certificate", expected: expected)
            }
            return path
        }
    }
}

extension SettingsReading {
    func full(_ path: String) -> String { path.hasPrefix("/") ? path : Self.directory(of: file) + path }

    /// The file that a key names.
    mutating func file(_ path: String, of field: Field, called words: String, expected: String) -> ConfigurationFile? {
        do throws(ConfigurationFileFailure) {
            return try files.read(path, limit: ConfigurationReader.sizeLimit)
        } catch {
            return refuse(field, "\(words) of '\(field.path)' cannot be read: \(error)", expected: expected)
        }
    }

    static func directory(of path: String) -> String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }
}

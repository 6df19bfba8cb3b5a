import AlarmModel
import PhoneProtocol

/// What `version` prints.
enum VersionText {
    static func line(json: Bool) -> String {
        json
            ? JSON.object(["name": .string(Product.name), "version": .string(Product.version)]).text
            : "\(Product.name) \(Product.version)"
    }
}

import AlarmModel
import PhoneProtocol

/// What `version` prints.
package enum VersionText {
    package static func line(json: Bool) -> String {
        json
            ? JSON.object(["name": .string(Product.name), "version": .string(Product.version)]).text
            : "\(Product.name) \(Product.version)"
    }
}

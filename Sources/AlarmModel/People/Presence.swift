/// Whether anybody is at home, as something outside the box says it. Not known is never "nobody".
package enum Presence: String, Codable, Hashable, Sendable {
    case home
    case notHome = "not_home"
    case unknown
}

/// What `version` prints and `status` shows.
package enum Product {
    package static let name = "HowAlarming"
    package static let version = "1.0.0-dev"
}

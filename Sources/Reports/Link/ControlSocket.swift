/// Where the daemon listens for programs on this machine.
package enum ControlSocket {
    package static let name = "control"
    package static let refusal = #"{"error":{"_0":"too many clients are connected; close one and try again"}}"#
}

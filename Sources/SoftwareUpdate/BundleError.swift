/// Why bytes are no bundle, or none that is whole.
package enum BundleError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It does not begin as a bundle does.
    case notABundle
    /// A line of the head is not what it should be; the words name it.
    case head(String)
    case manifest(String)
    case trailer(String)
    /// It ends too early; so many bytes are missing where that is known.
    case cut(missing: Int?)
    /// Something follows after the last part.
    case trailing

    package var description: String {
        switch self {
        case .notABundle:
            "this is no HowAlarming bundle; take a file whose name ends in .bundle, as the release offers it"
        case .head(let what): "the bundle's head is damaged (\(what)); copy the file again"
        case .manifest(let what): "the bundle's manifest is damaged (\(what)); copy the file again"
        case .trailer(let what): "the end of the slot is damaged (\(what)); copy the file again"
        case .cut(let missing):
            "the bundle is cut"
                + (missing.map { ", \($0) \($0 == 1 ? "byte is" : "bytes are") missing" } ?? "")
                + "; copy the file again, and remove the stick only when the copy is done"
        case .trailing: "something follows after the bundle's end; copy the file again"
        }
    }
}

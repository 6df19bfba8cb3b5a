/// One mapping of a configuration file: its path, where it stands, and its keys, each once.
struct Mapping: Placed, Sendable {
    /// Empty for the whole file.
    var path: String
    /// Where its key stands, or the file begins.
    var place: ConfigurationPlace
    var isEntry = false
    var fields: [Field]

    subscript(key: String) -> Field? { fields.first { $0.key == key } }

    func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}

/// One key of a mapping, and what stands behind it.
struct Field: Placed, Sendable {
    var key: String
    /// `panel.host`
    var path: String
    var place: ConfigurationPlace
    var value: YAMLNode
    /// One of a list, or of a section with numbers for keys: others have the same keys.
    var isEntry = false

    /// The values of a list; one that stands alone is a list of one.
    var items: [Field] {
        var items = [self]
        if case .sequence(let nodes) = value.content {
            items = nodes.map { node in
                Field(key: key, path: path, place: ConfigurationPlace(file: place.file, mark: node.mark), value: node)
            }
        }
        for index in items.indices { items[index].isEntry = true }
        return items
    }
}

/// What has a path and stands somewhere.
protocol Placed {
    var path: String { get }
    /// Of its key.
    var place: ConfigurationPlace { get }
}

/// A place in one of the files that make up the configuration.
struct ConfigurationPlace: Equatable, Sendable, CustomStringConvertible {
    var file: String
    var mark: YAMLMark

    var description: String { "\(file):\(mark)" }
}

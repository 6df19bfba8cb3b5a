/// An XML element as XMPP uses it: resolved namespaces, no prefixes, no comments.
package struct XMLElement: Codable, Equatable, Sendable {
    /// The name without prefix.
    package var name: String
    /// The namespace's name; empty for none.
    package var namespace: String
    /// In the order in which they stood; declarations of namespaces are not among them.
    package var attributes: [XMLAttribute]
    package var children: [XMLElement]
    /// All text that stands directly in the element, joined; entities resolved.
    package var text: String

    package init(
        _ name: String, namespace: String, attributes: [XMLAttribute] = [], children: [XMLElement] = [],
        text: String = ""
    ) {
        self.name = name
        self.namespace = namespace
        self.attributes = attributes
        self.children = children
        self.text = text
    }

    package func isNamed(_ name: String, in namespace: String) -> Bool {
        self.name == name && self.namespace == namespace
    }

    /// The first child with this name.
    package func child(_ name: String, in namespace: String) -> XMLElement? {
        children.first { $0.isNamed(name, in: namespace) }
    }

    /// The value of the attribute without namespace.
    package subscript(_ attribute: String) -> String? {
        attributes.first { $0.namespace.isEmpty && $0.name == attribute }?.value
    }
}

package struct XMLAttribute: Codable, Equatable, Sendable {
    package var name: String
    /// Empty for an attribute without prefix.
    package var namespace: String
    package var value: String

    package init(_ name: String, _ value: String, namespace: String = "") {
        self.name = name
        self.namespace = namespace
        self.value = value
    }
}

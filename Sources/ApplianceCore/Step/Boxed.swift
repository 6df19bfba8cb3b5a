/// A value that is large and hardly ever changes, behind a reference: what holds it is copied and moved cheaply.
///
/// Guarantees: it behaves and is coded as the value itself. A change copies all of it and never shows in another copy.
@propertyWrapper
package struct Boxed<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box

    package init(wrappedValue: Value) { box = Box(wrappedValue) }

    package var wrappedValue: Value {
        _read { yield box.value }
        set { box = Box(newValue) }
    }

    package init(from decoder: any Decoder) throws { self.init(wrappedValue: try Value(from: decoder)) }
    package func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }

    package static func == (a: Boxed, b: Boxed) -> Bool { a.box === b.box || a.wrappedValue == b.wrappedValue }
}

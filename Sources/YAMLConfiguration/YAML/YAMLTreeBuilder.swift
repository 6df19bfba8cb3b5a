import CYAML

/// Puts libyaml's events together into one tree, without recursion.
struct YAMLTreeBuilder {
    /// A sequence or mapping whose end has not come yet. Both lists live here so that they grow in place.
    private struct Container {
        var mark: YAMLMark
        var isMapping: Bool
        var items: [YAMLNode] = []
        var entries: [YAMLNode.Entry] = []
        var key: (text: String, mark: YAMLMark)?
    }

    private let limits: YAMLDocument.Limits
    private var open: [Container] = []
    private var nodes = 0
    private var documents = 0
    private(set) var root: YAMLNode?
    private(set) var isFinished = false

    init(limits: YAMLDocument.Limits) { self.limits = limits }

    /// Adds one event; the caller deletes the event.
    mutating func take(_ event: yaml_event_t) throws(YAMLProblem) {
        let mark = YAMLMark(event.start_mark)
        switch event.type {
        case YAML_STREAM_END_EVENT: isFinished = true
        case YAML_DOCUMENT_START_EVENT:
            documents += 1
            guard documents == 1 else {
                throw YAMLProblem(
                    mark: mark, what: "a second document begins here", expected: "one document without '---' inside")
            }
        case YAML_ALIAS_EVENT:
            throw YAMLProblem(
                mark: mark, what: "an alias ('*' and a name) is not supported",
                expected: "the value itself, in quotes if it begins with '*'")
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            try refuse(anchor: scalar.anchor, tag: scalar.tag, at: mark)
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            try count(mark)
            let style: YAMLNode.Style = scalar.style == YAML_PLAIN_SCALAR_STYLE ? .plain : .quoted
            let start = Int(clamping: event.start_mark.index)
            let end = max(start, Int(clamping: event.end_mark.index))
            try place(YAMLNode(mark: mark, content: .scalar(text, style), extent: start..<end))
        case YAML_SEQUENCE_START_EVENT:
            try refuse(anchor: event.data.sequence_start.anchor, tag: event.data.sequence_start.tag, at: mark)
            try begin(Container(mark: mark, isMapping: false))
        case YAML_MAPPING_START_EVENT:
            try refuse(anchor: event.data.mapping_start.anchor, tag: event.data.mapping_start.tag, at: mark)
            try begin(Container(mark: mark, isMapping: true))
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
            guard let container = open.popLast() else { return }
            try place(
                YAMLNode(
                    mark: container.mark,
                    content: container.isMapping ? .mapping(container.entries) : .sequence(container.items)))
        default: return  // stream start, document end: nothing to build
        }
    }

    private mutating func begin(_ container: Container) throws(YAMLProblem) {
        try count(container.mark)
        if let last = open.last, last.isMapping, last.key == nil { throw Self.keyIsNoText(at: container.mark) }
        guard open.count < limits.depth else {
            throw YAMLProblem(
                mark: container.mark, what: "values are nested too deeply", expected: "at most \(limits.depth) levels")
        }
        open.append(container)
    }

    private mutating func place(_ node: YAMLNode) throws(YAMLProblem) {
        guard !open.isEmpty else {
            root = node
            return
        }
        let last = open.count - 1
        if !open[last].isMapping {
            open[last].items.append(node)
        } else if let key = open[last].key {
            open[last].entries.append(YAMLNode.Entry(key: key.text, keyMark: key.mark, value: node))
            open[last].key = nil
        } else {
            guard case .scalar(let text, _) = node.content else { throw Self.keyIsNoText(at: node.mark) }
            open[last].key = (text, node.mark)
        }
    }

    private mutating func count(_ mark: YAMLMark) throws(YAMLProblem) {
        nodes += 1
        guard nodes <= limits.nodes else {
            throw YAMLProblem(
                mark: mark, what: "the file holds too many values", expected: "at most \(limits.nodes) values")
        }
    }

    private func refuse(
        anchor: UnsafeMutablePointer<yaml_char_t>?, tag: UnsafeMutablePointer<yaml_char_t>?, at mark: YAMLMark
    ) throws(YAMLProblem) {
        if anchor != nil {
            throw YAMLProblem(
                mark: mark, what: "an anchor ('&' and a name) is not supported",
                expected: "the value itself, in quotes if it begins with '&'")
        }
        if tag != nil {
            throw YAMLProblem(
                mark: mark, what: "a tag ('!' and a name) is not supported",
                expected: "the value itself, in quotes if it begins with '!'")
        }
    }

    private static func keyIsNoText(at mark: YAMLMark) -> YAMLProblem {
        YAMLProblem(mark: mark, what: "a list or mapping stands where a key belongs", expected: "a key that is text")
    }
}

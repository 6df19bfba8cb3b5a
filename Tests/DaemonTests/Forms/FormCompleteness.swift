import AlarmModel
import ApplianceCore
import PhoneProtocol

/// Holds a value against its form: a stored property that has a value and no member beside it would be lost.
enum FormCompleteness {
    /// Adds `Type.property` of what is lost to `found`.
    static func check(_ value: some Encodable, _ found: inout Set<String>) {
        guard let json = try? JSON.encoding(value, placeholder: SecretPlaceholder { $0 }) else {
            found.insert("\(type(of: value)) has no form")
            return
        }
        compare(value, json, &found)
    }

    private static func compare(_ value: Any, _ json: JSON, _ found: inout Set<String>) {
        // It is coded as the value itself.
        if let boxed = value as? Boxed<Configuration> { return compare(boxed.wrappedValue, json, &found) }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            if let wrapped = mirror.children.first { compare(wrapped.value, json, &found) }
        case .collection:
            guard let items = json.arrayValue else { return }
            for (child, item) in zip(mirror.children, items) { compare(child.value, item, &found) }
        case .struct, .tuple:
            // One value, as an identifier or a time has it, is no object.
            guard var members = json.objectValue else { return }
            members.removeAll { former(of: value).contains($0.key) }
            let present = mirror.children.filter { !isNil($0.value) }
            if present.count != members.count {
                found.insert("\(mirror.subjectType): \(present.compactMap(\.label)) are \(members.map(\.key))")
            }
            for (child, member) in zip(present, members) {
                let named = members.first { $0.key == child.label } ?? member
                compare(child.value, named.value, &found)
            }
        case .enum:
            guard let members = json.objectValue, let content = members.first?.value, let child = mirror.children.first
            else { return }
            let inner = Mirror(reflecting: child.value)
            if inner.displayStyle == .tuple {
                compare(child.value, content, &found)
            } else if let only = content.objectValue?.first {
                compare(child.value, only.value, &found)
            }
        default: break
        }
    }

    /// Members that are written beside the properties, for a version that an update is rolled back to.
    private static func former(of value: Any) -> Set<String> {
        value is PartitionState ? ["alarmZones", "alarmSince", "pastAlarm"] : []
    }

    private static func isNil(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional && mirror.children.isEmpty
    }
}

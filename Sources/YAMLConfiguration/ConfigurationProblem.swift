/// One thing that is wrong or doubtful in a configuration file. No secret is ever in its words.
package struct ConfigurationProblem: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Severity: String, Hashable, Sendable {
        case error, warning
    }

    /// As the file was named by the caller.
    package var file: String
    /// nil if the file as a whole is meant.
    package var mark: YAMLMark?
    package var severity: Severity
    /// Where in the configuration: `panel.host`; empty for the file as a whole.
    package var path: String
    package var what: String
    package var expected: String?
    /// The known key that was probably meant.
    package var nearest: String?

    package var line: Int? { mark?.line }
    package var column: Int? { mark?.column }

    /// `howalarming.yaml:12:3: error: unknown key 'pasword' in 'panel'; did you mean 'password'?`
    package var description: String {
        var text = file
        if let mark { text += ":\(mark)" }
        text += ": \(severity.rawValue): \(what)"
        if let expected { text += "; expected \(expected)" }
        if let nearest { text += "; did you mean '\(nearest)'?" }
        return text
    }
}

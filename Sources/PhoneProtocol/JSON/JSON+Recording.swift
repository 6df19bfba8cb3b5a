/// Inside a recorded value a JSON value is its text.
extension JSON: Codable {
    package init(from decoder: any Decoder) throws {
        self = try JSON(parsing: try decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

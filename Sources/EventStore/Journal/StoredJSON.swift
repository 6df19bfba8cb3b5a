import PhoneProtocol

/// Values that lie in a column as JSON.
enum StoredJSON {
    static func text(of value: some Encodable, doing activity: String) throws(StoreError) -> String {
        do throws(JSONError) {
            return try JSON.encoding(value).text
        } catch {
            throw StoreError(kind: .rejected, activity: activity, detail: "\(error)")
        }
    }

    /// The value, or in words why there is none.
    static func value<T: Decodable>(_ type: T.Type, from text: String) -> (value: T?, problem: String?) {
        do throws(JSONError) {
            return (try JSON(parsing: text).decoding(type), nil)
        } catch {
            return (nil, "\(error)")
        }
    }
}

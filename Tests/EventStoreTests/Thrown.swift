import Testing

/// The error of this type that the body throws; anything else is an issue. `#expect(throws:)` hands the error over only
/// from Swift 6.1 on.
func thrown<Failure: Error, Value>(
    _ type: Failure.Type, sourceLocation: SourceLocation = #_sourceLocation, by body: () throws -> Value
) -> Failure? {
    do {
        _ = try body()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as Failure {
        return error
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
    return nil
}

import ApplianceCore
import PhoneProtocol

/// A request that is understood means the same when it is written and read again; any other is refused with a reason.
func checkControl(_ bytes: [UInt8]) {
    checkJSON(bytes)
    do {
        let request = try ControlRequest(line: bytes)
        let again = try ControlRequest(line: Array(request.json.text.utf8))
        require(request == again, "a request is the same when it is written and read again")
    } catch {
        require(!error.reason.isEmpty, "a refusal has a reason")
    }
}

private func checkJSON(_ bytes: [UInt8]) {
    guard let document = try? JSON(parsing: bytes) else { return }
    guard let again = try? JSON(parsing: Array(document.text.utf8)) else {
        return require(false, "JSON that was read can be written and read again")
    }
    require(again == document, "JSON is the same when it is written and read again")
}

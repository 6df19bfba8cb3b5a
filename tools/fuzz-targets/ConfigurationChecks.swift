import YAMLConfiguration

/// A configuration is read, or refused with problems that have a place in the file; the same bytes mean the same twice.
func checkConfiguration(_ bytes: [UInt8]) {
    let result = ConfigurationReader.read(bytes: bytes, name: "fuzz.yaml")
    require(result.configuration != nil || result.errorCount > 0, "a refused configuration has an error")
    require(result.configuration == nil || result.errorCount == 0, "a configuration with an error is refused")
    let lines = bytes.count { $0 == 0x0A || $0 == 0x0D } + 2
    for problem in result.problems {
        require(!problem.what.isEmpty, "a problem says what is wrong")
        require((1...lines).contains(problem.line ?? 1), "a problem is at a line of the file")
        require((problem.column ?? 1) >= 1, "columns are counted from 1")
    }
    let again = ConfigurationReader.read(bytes: bytes, name: "fuzz.yaml")
    require(again.problems == result.problems, "the same bytes have the same problems")
}

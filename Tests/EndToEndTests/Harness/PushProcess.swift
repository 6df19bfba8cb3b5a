/// `howalarming-lab simulate push`; its truth is a `PushTruth`.
final class PushProcess: ServiceProcess {
    static let sender = "123456789012"
    static let key = "AIzaTESTKEY"

    private(set) var phonesPort: UInt16 = 0

    init(in directory: TestDirectory, name: String = "push", arguments: [String] = []) throws {
        try super.init(
            "push", mark: "push simulator listens:", in: directory, name: name,
            arguments: ["--phones-port", "0", "--sender", Self.sender, "--key", Self.key] + arguments)
        phonesPort = try port("phones-port")
    }
}

/// `howalarming-lab simulate ntfy`.
final class TopicProcess: ServiceProcess {
    init(in directory: TestDirectory, name: String = "topics", arguments: [String] = []) throws {
        try super.init(
            "ntfy", mark: "topic server listens:", in: directory, name: name, arguments: arguments)
    }
}

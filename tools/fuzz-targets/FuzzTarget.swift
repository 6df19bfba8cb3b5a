import Glibc

/// A reader of untrusted bytes that `tools/fuzz` runs; the raw value is its name there and in `tools/fuzz-corpus`.
///
/// A new one: a case here, its checks in a file of its own, a directory of sample inputs in the corpus.
enum FuzzTarget: String, CaseIterable {
    case lineReader = "line-reader"
    case control
    case configuration
    case stanza
    case phoneBytes = "phone-bytes"
    case http
    case sse
    case jsonLines = "json-lines"
    case mqtt
    case account
    case fcm
    case smtp
    case beanstalk
    case nut
    case receiver
    case ntfyLines = "ntfy-lines"
    case console
    case bundle

    /// Reads the bytes and checks what must hold for any input; ends the process if it does not.
    func check(_ bytes: [UInt8]) {
        switch self {
        case .lineReader: checkLineReader(bytes)
        case .control: checkControl(bytes)
        case .configuration: checkConfiguration(bytes)
        case .stanza: checkStanza(bytes)
        case .phoneBytes: checkPhoneBytes(bytes)
        case .http: checkHTTP(bytes)
        case .sse: checkServerSentEvents(bytes)
        case .jsonLines: checkJSONLines(bytes)
        case .mqtt: checkMQTT(bytes)
        case .account: checkAccount(bytes)
        case .fcm: checkFCM(bytes)
        case .smtp: checkSMTP(bytes)
        case .beanstalk: checkBeanstalk(bytes)
        case .nut: checkNUT(bytes)
        case .receiver: checkReceiver(bytes)
        case .ntfyLines: checkNtfyLines(bytes)
        case .console: checkConsole(bytes)
        case .bundle: checkBundle(bytes)
        }
    }

    /// The one that HOWALARMING_FUZZ_TARGET names.
    static let chosen: FuzzTarget = {
        let name = getenv("HOWALARMING_FUZZ_TARGET").map { String(cString: $0) } ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            say("HOWALARMING_FUZZ_TARGET is '\(name)'; known are \(allCases.map(\.rawValue).joined(separator: ", "))")
            exit(64)
        }
        return target
    }()
}

/// Ends the process with a sentence, which a trap in an optimised build would not print.
func require(_ holds: Bool, _ sentence: String) {
    if holds { return }
    say("does not hold: \(sentence)")
    abort()
}

func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

import PhoneProtocol
import Platform
import YAMLConfiguration

/// The programs of `hooks`, from the card's directory of that name to where the unit that runs them looks: in memory,
/// root's own, made anew at each start. Only what the configuration names with its SHA-256 gets there. For one that is
/// refused the reason stands beside its place, and whoever asks for it is told that (`HookRun`).
struct HookPrograms {
    /// Bytes of one program.
    static let sizeLimit = 4 << 20
    /// Programs beyond are refused.
    static let countLimit = 8
    /// Below the directory for what is written anew at each start.
    static let directory = "howalarming-hooks"

    let storage: any CardStorage

    /// - Returns: one remark for each program that was refused
    func install(_ hooks: [HookFile]) -> [CardReport.Problem] {
        var remarks: [CardReport.Problem] = []
        for (index, hook) in hooks.enumerated() {
            let place = CardPlace.run("\(Self.directory)/\(hook.name)", mode: 0o555)
            let refusal = CardPlace.run("\(Self.directory)/\(hook.name)\(HookFile.refusalSuffix)", mode: 0o444)
            do throws(SystemError) {
                switch index < Self.countLimit ? try program(hook) : .refused("only \(Self.countLimit) programs run") {
                case .good(let bytes):
                    try storage.write(place, bytes)
                    try storage.remove(refusal)
                case .refused(let why):
                    remarks.append(Self.remark(hook, why))
                    try storage.remove(place)
                    try storage.write(refusal, Array(why.utf8))
                }
            } catch {
                remarks.append(Self.remark(hook, "\(error)"))
            }
        }
        return remarks
    }

    private enum Found {
        case good([UInt8])
        case refused(String)
    }

    private func program(_ hook: HookFile) throws(SystemError) -> Found {
        guard let bytes = try storage.read(.hook(hook.name)) else {
            return .refused("there is no file hooks/\(hook.name) on the card")
        }
        let digest = Hex.encode(Digest.sha256(bytes))
        guard let wanted = hook.sha256 else {
            return .refused("the configuration does not name its SHA-256; now it is \(digest)")
        }
        guard digest == wanted else {
            return .refused("its SHA-256 is \(digest), and not what the configuration names")
        }
        if let why = Self.fault(bytes) { return .refused(why) }
        return .good(bytes)
    }

    /// Why this machine cannot run it; nil when it can, as far as its beginning tells.
    static func fault(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: Array("#!/bin/sh\n".utf8)) || bytes.starts(with: Array("#!/bin/sh ".utf8)) { return nil }
        guard bytes.count >= 20, bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else {
            return "it is neither a program of Linux nor a script that begins with #!/bin/sh"
        }
        // ELF: 64 bits, little-endian, then the processor at 18.
        let isOurs = bytes[4] == 2 && bytes[5] == 1 && Int(bytes[18]) | Int(bytes[19]) << 8 == processor
        return isOurs ? nil : "it is for another processor than this box has"
    }

    #if arch(arm64)
        private static let processor = 183
    #else
        private static let processor = 62
    #endif

    private static func remark(_ hook: HookFile, _ why: String) -> CardReport.Problem {
        CardReport.Problem(
            isError: false, what: "the program '\(hook.name)' of 'hooks' is not run: \(why)",
            expected: "a program in the directory 'hooks' of the card, and its SHA-256 beside its name")
    }
}

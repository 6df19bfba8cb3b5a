import AlarmModel
import ApplianceCore
import CommandKit
import Glibc
import PhoneProtocol
import Platform

/// Certificates and who may read what.
extension SelfTest {
    /// Before an authority ends somebody has to get a new file.
    static let certificateNotice: Duration = .hours(24 * 21)

    func certificates(_ configuration: Configuration?, _ report: (SelfTestLine) -> Void) {
        let named = configuration.flatMap { try? JSON.encoding($0) }.map(Self.authorityFiles) ?? []
        for file in [nil] + named.map(Optional.some) {
            report(Self.certificate(file, now: SystemClock.wallTime()))
        }
    }

    /// Every file with authorities that a configuration names, once each.
    static func authorityFiles(in json: JSON) -> [String] {
        var files: [String] = []
        func walk(_ json: JSON) {
            switch json {
            case .object(let members):
                for member in members {
                    if ["authorityFile", "caFile"].contains(member.key), let file = member.value.stringValue {
                        if !files.contains(file) { files.append(file) }
                    } else {
                        walk(member.value)
                    }
                }
            case .array(let items): items.forEach(walk)
            case .null, .bool, .integer, .number, .string: break
            }
        }
        walk(json)
        return files
    }

    /// `file` nil: the authorities of the system.
    static func certificate(_ file: String?, now: WallTime) -> SelfTestLine {
        let name = file ?? "the system's authorities"
        do throws(CertificateError) {
            let found = try AuthorityFile.read(file)
            let valid = found.filter { $0.until > now }
            guard let last = valid.map(\.until).max() else {
                return .failed("certificates", "\(name): none is valid any more", "get a new file from whoever gave it")
            }
            // Of one's own authority there is one certificate; of the system's, some have always just ended.
            guard file == nil || last > now + certificateNotice else {
                let days = (last - now).milliseconds / 86_400_000
                return .failed(
                    "certificates", "\(name) ends in \(Text.count(days, "day"))", "get a new one from whoever gave it")
            }
            return .passed("certificates", "\(name): \(Text.count(valid.count, "certificate"))")
        } catch {
            return .failed(
                "certificates", "\(error)",
                file == nil ? "install ca-certificates" : "check 'ca_file' in the configuration")
        }
    }

    func permissions(configurationFile: String?, secretsFile: String?, _ report: (SelfTestLine) -> Void) {
        var faults = Self.openFiles(in: stateDirectory)
        for file in [configurationFile, secretsFile].compactMap({ $0 }) {
            if let mode = Self.mode(file), mode & 0o007 != 0 { faults.append("\(file) can be read by everybody") }
        }
        guard let first = faults.first else {
            return report(.passed("permissions", "only the daemon's user reads its state and secrets"))
        }
        let more = faults.count > 1 ? " (and \(faults.count - 1) more)" : ""
        report(
            .failed(
                "permissions", first + more,
                "take the rights away: 'chmod go= \(stateDirectory)', 'chmod o= FILE' for the configuration"))
    }

    /// What others than the owner may use of a state directory; what lies in it is out of their reach with it.
    static func openFiles(in directory: String) -> [String] {
        guard let mode = mode(directory) else { return ["\(directory) cannot be looked at"] }
        return mode & 0o077 == 0 ? [] : ["\(directory) is open to others"]
    }

    private static func mode(_ path: String) -> UInt32? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return UInt32(status.st_mode)
    }
}

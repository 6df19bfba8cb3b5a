import Glibc

/// What tests of refusals need: root may write everywhere.
enum Privileges {
    private static let nobody: uid_t = 65534

    /// Sets the user for file accesses of this thread. The module Glibc does not know sys/fsuid.h.
    private static func setFileUser(_ user: uid_t) {
        typealias Function = @convention(c) (uid_t) -> Int32
        guard let symbol = dlsym(nil, "setfsuid") else { return }
        _ = unsafeBitCast(symbol, to: Function.self)(user)
    }

    /// Runs `body` as somebody who owns the directory but has no rights beyond its permission bits. The change concerns
    /// this thread only.
    static func withOrdinaryRights<R>(on directory: String, mode: mode_t, _ body: () throws -> R) throws -> R {
        let isRoot = geteuid() == 0
        if isRoot {
            chown(directory, nobody, nobody)
            for name in names(directory) { chown("\(directory)/\(name)", nobody, nobody) }
        }
        chmod(directory, mode)
        if isRoot { setFileUser(nobody) }
        defer {
            if isRoot { setFileUser(0) }
            chmod(directory, 0o700)
        }
        return try body()
    }

    private static func names(_ directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// Whether this process may mount file systems.
    static let canMount: Bool = {
        var template = Array("/tmp/eventstore-mount-XXXXXX".utf8CString)
        guard geteuid() == 0, mkdtemp(&template) != nil else { return false }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer { rmdir(path) }
        guard mount("tmpfs", path, "tmpfs", 0, "size=64k") == 0 else { return false }
        umount(path)
        return true
    }()
}

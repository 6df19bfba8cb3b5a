import Glibc

/// Holds a state directory for one process at a time; released by `release`, by going away or by the process's end.
package final class StateLock {
    package enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// The process that holds it, where it could be read.
        case held(directory: String, by: Int32?)
        case notPossible(StoreError)

        package var description: String {
            switch self {
            case .held(let directory, let holder):
                "another howalarming uses the state directory \(directory)"
                    + (holder.map { " (process \($0))" } ?? "") + "; stop it first or choose another one with --state"
            case .notPossible(let error): "the state directory cannot be locked: \(error)"
            }
        }
    }

    private var descriptor: Int32

    /// Makes the directory (0700) where it is missing and takes it without waiting.
    package init(directory: String) throws(Failure) {
        do throws(StoreError) {
            try StateFile.makeDirectory(directory)
        } catch {
            throw .notPossible(error)
        }
        let path = directory + "/lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        // The panel is watched also while the card takes nothing; a lock needs no writing.
        if descriptor < 0, [EROFS, ENOSPC, EDQUOT].contains(errno) {
            descriptor = open(path, O_RDONLY | O_CLOEXEC)
            if descriptor < 0 { descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        }
        guard descriptor >= 0 else { throw .notPossible(StoreError(errno: errno, activity: "opening \(path)")) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let failure = errno
            let holder = Self.holder(descriptor)
            close(descriptor)
            descriptor = -1
            throw failure == EWOULDBLOCK
                ? .held(directory: directory, by: holder)
                : .notPossible(StoreError(errno: failure, activity: "locking \(path)"))
        }
        _ = StateFile.giveToOwner(of: directory, descriptor)
        // Only a hint for whoever finds the directory taken: a full disk must not keep the daemon from starting.
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
    }

    deinit { release() }

    package func release() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
    }

    /// The process that holds the directory now; nil when none does or it did not say.
    package static func holder(of directory: String) -> Int32? {
        let descriptor = open(directory + "/lock", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else { return nil }
        return holder(descriptor)
    }

    private static func holder(_ descriptor: Int32) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: buffer[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

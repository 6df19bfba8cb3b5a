import Glibc
import Platform

/// A file that is written to a stick: synced and read back before anybody is told that it is there. What is not whole is
/// removed.
struct StickFile {
    /// Why a stick could not be read or written, in words for whoever has it in his hand.
    struct Trouble: Error, Equatable, CustomStringConvertible {
        var description: String

        init(_ description: String) { self.description = description }

        init(_ error: SystemError) {
            switch error.number {
            case ENOSPC, EDQUOT, EFBIG: description = "The stick is full. Delete something on it, or take a bigger one."
            case EROFS: description = "The stick is locked against writing. Unlock it, or take another one."
            case EIO, ENODEV, ENXIO, ENOENT, ENOTDIR:
                description = "The stick was pulled out, or is broken. Plug it in and try again; then another one."
            default: description = "The stick cannot be used (\(error)). Try another one."
            }
        }
    }

    private let path: String
    private let file: BlockFile
    private var written = 0
    private let digest = RunningDigest()

    private static let pieceCount = 64 * 1024

    /// - Parameters:
    ///   - directory: where the stick is mounted
    ///   - name: of the file, which is not there yet
    init(_ name: String, in directory: String) throws(Trouble) {
        path = "\(directory)/\(name)"
        do throws(SystemError) {
            let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard number >= 0 else { throw .last("open", path) }
            _ = Descriptor(owning: number)
            file = try BlockFile(path, isWritable: true)
        } catch {
            throw Trouble(error)
        }
    }

    mutating func write(_ bytes: [UInt8]) throws(Trouble) {
        do throws(SystemError) {
            try file.write(bytes[...], at: written)
        } catch {
            _ = unlink(path)
            throw Trouble(error)
        }
        written += bytes.count
        digest.update(bytes[...])
    }

    /// - Returns: its length in bytes
    mutating func finish() throws(Trouble) -> Int {
        do throws(SystemError) {
            try file.sync()
            try AtomicFile.syncDirectory(of: path)
            let again = RunningDigest()
            var place = 0
            while place < written {
                let piece = try file.readFromMedium(min(Self.pieceCount, written - place), at: place)
                guard !piece.isEmpty else { break }
                again.update(piece[...])
                place += piece.count
            }
            guard again.finish() == digest.finish() else { throw SystemError(call: "read", number: EIO, subject: path) }
        } catch {
            _ = unlink(path)
            throw Trouble(error)
        }
        return written
    }
}

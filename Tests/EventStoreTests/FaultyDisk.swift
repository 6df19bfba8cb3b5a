import CSQLite
import EventStore
import Glibc

/// A file layer of SQLite that knows what has reached the card: what was synced surely, what was only written perhaps.
/// It can lose power or refuse at the n-th operation. One at a time: the suite that uses it runs its tests in a row.
final class FaultyDisk {
    enum Fault {
        case none
        /// The power goes: nothing succeeds from then on.
        case cut(at: Int)
        /// One operation fails, or all from there on.
        case refuse(from: Int, once: Bool, with: Int32)
    }

    enum Change {
        case write(offset: Int, bytes: [UInt8])
        case truncate(size: Int)
    }

    struct File {
        var path: String
        /// As of the last sync.
        var durable: [UInt8]
        /// Since then, in order.
        var pending: [Change] = []
    }

    static let name = "faulty"
    /// Used by the one test that runs.
    nonisolated(unsafe) static var current: FaultyDisk?

    var fault: Fault
    private(set) var operations = 0
    /// A place for each path ever opened.
    private(set) var files: [File] = []
    private var dice: Dice
    /// What is on the card when the power comes back.
    private(set) var image: [(path: String, bytes: [UInt8])]?

    init(_ fault: Fault, seed: UInt64 = 1) {
        self.fault = fault
        dice = Dice(seed: seed)
        Self.register()
        Self.current = self
    }

    func opened(_ path: String) -> Int {
        if let index = files.firstIndex(where: { $0.path == path }) { return index }
        files.append(File(path: path, durable: (try? StateFile.read(path)) ?? []))
        return files.count - 1
    }

    /// Counts an operation that changes the disk; a result other than SQLITE_OK is its failure.
    func operation(_ index: Int, _ change: Change?, failure: Int32) -> Int32 {
        operations += 1
        switch fault {
        case .none: break
        case .cut(let place):
            if operations == place {
                if let change { files[index].pending.append(change) }
                image = files.map { ($0.path, afterPowerCut($0)) }
            }
            if operations >= place { return failure }
        case .refuse(let place, let once, let result):
            if operations == place || operations > place && !once { return result == SQLITE_IOERR ? failure : result }
        }
        if let change {
            files[index].pending.append(change)
        } else {
            for change in files[index].pending { Self.apply(change, to: &files[index].durable) }
            files[index].pending = []
        }
        return SQLITE_OK
    }

    /// Of what was not synced each write is there, gone or torn, whatever came after it.
    private func afterPowerCut(_ file: File) -> [UInt8] {
        var bytes = file.durable
        for change in file.pending {
            switch (change, dice.roll(3)) {
            case (.write(let offset, let data), 1):
                let length = min(data.count, dice.roll(data.count / 512 + 1) * 512)
                Self.apply(.write(offset: offset, bytes: Array(data[..<length])), to: &bytes)
            case (_, 2): Self.apply(change, to: &bytes)
            case (_, _): break
            }
        }
        return bytes
    }

    private static func apply(_ change: Change, to bytes: inout [UInt8]) {
        switch change {
        case .write(let offset, let data):
            if bytes.count < offset + data.count {
                bytes += Array(repeating: 0, count: offset + data.count - bytes.count)
            }
            bytes.replaceSubrange(offset..<offset + data.count, with: data)
        case .truncate(let size):
            if size < bytes.count { bytes.removeLast(bytes.count - size) }
        }
    }
}

extension FaultyDisk {
    /// In front of the real file lie the table of methods and the index of `File`, or -1.
    private static let headerSize = 16

    private static func real(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<sqlite3_file>? {
        guard let file else { return nil }
        return (UnsafeMutableRawPointer(file) + headerSize).assumingMemoryBound(to: sqlite3_file.self)
    }

    private static func index(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int {
        file.map { UnsafeMutableRawPointer($0).load(fromByteOffset: 8, as: Int.self) } ?? -1
    }

    private static func methods(
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> (UnsafeMutablePointer<sqlite3_file>?, sqlite3_io_methods) {
        let real = real(file)
        guard let methods = real?.pointee.pMethods else { preconditionFailure("an open file has methods") }
        return (real, methods.pointee)
    }

    private static func count(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ change: Change?, failure: Int32
    ) -> Int32 {
        let index = index(file)
        guard index >= 0, let current else { return SQLITE_OK }
        return current.operation(index, change, failure: failure)
    }

    private static let registration: Void = {
        guard let original = sqlite3_vfs_find(nil) else { return }
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.initialize(to: original.pointee)
        vfs.pointee.zName = UnsafePointer(strdup(name))
        vfs.pointee.szOsFile += Int32(headerSize)
        vfs.pointee.pNext = nil
        vfs.pointee.xOpen = { _, path, file, flags, outFlags in
            guard let file, let original = sqlite3_vfs_find(nil) else { return SQLITE_CANTOPEN }
            let raw = UnsafeMutableRawPointer(file)
            file.pointee.pMethods = nil
            let result = original.pointee.xOpen(original, path, FaultyDisk.real(file), flags, outFlags)
            guard result == SQLITE_OK else { return result }
            let isKept = flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL) != 0
            let index = isKept ? path.flatMap { FaultyDisk.current?.opened(String(cString: $0)) } ?? -1 : -1
            raw.storeBytes(of: index, toByteOffset: 8, as: Int.self)
            file.pointee.pMethods = FaultyDisk.table
            return SQLITE_OK
        }
        sqlite3_vfs_register(vfs, 0)
    }()

    private static func register() { _ = registration }

    nonisolated(unsafe) private static let table: UnsafePointer<sqlite3_io_methods> = {
        let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        var own = sqlite3_io_methods()
        own.iVersion = 2
        own.xClose = { file in
            let (real, methods) = FaultyDisk.methods(file)
            return methods.xClose(real)
        }
        own.xRead = { file, buffer, count, offset in
            let (real, methods) = FaultyDisk.methods(file)
            return methods.xRead(real, buffer, count, offset)
        }
        own.xWrite = { file, buffer, count, offset in
            let bytes = UnsafeRawBufferPointer(start: buffer, count: Int(count))
            let change = Change.write(offset: Int(offset), bytes: Array(bytes))
            let result = FaultyDisk.count(file, change, failure: 778)
            guard result == SQLITE_OK else { return result }
            let (real, methods) = FaultyDisk.methods(file)
            return methods.xWrite(real, buffer, count, offset)
        }
        own.xTruncate = { file, size in
            let result = FaultyDisk.count(file, .truncate(size: Int(size)), failure: 1546)
            guard result == SQLITE_OK else { return result }
            let (real, methods) = FaultyDisk.methods(file)
            return methods.xTruncate(real, size)
        }
        own.xSync = { file, flags in
            let result = FaultyDisk.count(file, nil, failure: 1034)
            guard result == SQLITE_OK else { return result }
            let (real, methods) = FaultyDisk.methods(file)
            return methods.xSync(real, flags)
        }
        own.xFileSize = { file, size in
            let (real, methods) = FaultyDisk.methods(file)
            return methods.xFileSize(real, size)
        }
        own.xLock = { file, level in
            let (real, methods) = FaultyDisk.methods(file)
            return methods.xLock(real, level)
        }
        own.xUnlock = { file, level in
            let (real, methods) = FaultyDisk.methods(file)
            return methods.xUnlock(real, level)
        }
        own.xCheckReservedLock = { file, out in
            let (real, methods) = FaultyDisk.methods(file)
            return methods.xCheckReservedLock(real, out)
        }
        own.xFileControl = { file, operation, argument in
            let (real, methods) = FaultyDisk.methods(file)
            return methods.xFileControl(real, operation, argument)
        }
        own.xSectorSize = { file in
            let (real, methods) = FaultyDisk.methods(file)
            return methods.xSectorSize(real)
        }
        own.xDeviceCharacteristics = { file in
            let (real, methods) = FaultyDisk.methods(file)
            return methods.xDeviceCharacteristics(real)
        }
        own.xShmMap = { file, page, size, extend, out in
            let (real, methods) = FaultyDisk.methods(file)
            return methods.xShmMap(real, page, size, extend, out)
        }
        own.xShmLock = { file, offset, count, flags in
            let (real, methods) = FaultyDisk.methods(file)
            return methods.xShmLock(real, offset, count, flags)
        }
        own.xShmBarrier = { file in
            let (real, methods) = FaultyDisk.methods(file)
            methods.xShmBarrier(real)
        }
        own.xShmUnmap = { file, delete in
            let (real, methods) = FaultyDisk.methods(file)
            return methods.xShmUnmap(real, delete)
        }
        table.initialize(to: own)
        return UnsafePointer(table)
    }()
}

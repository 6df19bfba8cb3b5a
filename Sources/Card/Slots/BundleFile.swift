import Platform
package import SoftwareUpdate

/// A bundle in a file, read from its begin as often as needed.
package final class BundleFile {
    private let file: BlockFile
    private static let pieceCount = 256 * 1024

    package init(_ path: String) throws(UpdateStop) {
        do throws(SystemError) {
            file = try BlockFile(path, isWritable: false)
        } catch {
            throw .failed("the bundle cannot be read: \(error); is the stick plugged in?")
        }
    }

    /// Each item in turn, and how much of the file was read, 0…100. What the reader refuses is a refusal.
    func read(_ take: (BundleReader.Item, Int) throws(UpdateStop) -> Void) throws(UpdateStop) {
        var reader = BundleReader()
        var place = 0
        while true {
            let piece: [UInt8]
            do throws(SystemError) {
                piece = try file.read(Self.pieceCount, at: place)
            } catch {
                throw .failed("the bundle cannot be read: \(error); copy it to another stick")
            }
            guard !piece.isEmpty else { break }
            place += piece.count
            let percent = Int((Double(place) / Double(max(file.size, place)) * 100).rounded(.down))
            var items: [BundleReader.Item] = []
            do throws(BundleError) {
                try reader.take(piece[...], into: &items)
            } catch {
                for item in items { try take(item, percent) }
                throw .refused(.damaged(error))
            }
            for item in items { try take(item, percent) }
        }
        do throws(BundleError) {
            try reader.finish()
        } catch {
            throw .refused(.damaged(error))
        }
    }

    /// The head alone, whatever follows.
    package func header() throws(UpdateStop) -> BundleHeader {
        var reader = BundleReader()
        var place = 0
        while true {
            let piece: [UInt8]
            do throws(SystemError) {
                piece = try file.read(4096, at: place)
            } catch {
                throw .failed("the bundle cannot be read: \(error); copy it to another stick")
            }
            var items: [BundleReader.Item] = []
            do throws(BundleError) {
                if piece.isEmpty { try reader.finish() }
                try reader.take(piece[...], into: &items)
            } catch {
                throw .refused(.damaged(error))
            }
            for case .header(let header) in items { return header }
            place += piece.count
        }
    }
}

/// SHA-256 of OpenSSL.
struct DigestHash: RunningHash {
    private let digest = RunningDigest()
    mutating func update(_ bytes: ArraySlice<UInt8>) { digest.update(bytes) }
    mutating func finish() -> [UInt8] { digest.finish() }
}

import EventStore
import Platform

/// The box's key towards push services, in the state directory.
struct StoredPushKey: PushKeyStorage {
    var directory: String

    func load() throws(PushKeyFailure) -> [UInt8]? {
        do throws(StoreError) {
            return try PushKeyFile.read(in: directory)
        } catch {
            throw PushKeyFailure("the file with it cannot be read (\(error)); look at the card")
        }
    }

    func save(_ key: [UInt8]) throws(PushKeyFailure) {
        do throws(StoreError) {
            try PushKeyFile.write(key, in: directory)
        } catch {
            throw PushKeyFailure("it cannot be kept (\(error)); look at the card")
        }
    }
}

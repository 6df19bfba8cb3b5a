import ApplianceCore
import Card
import CommandKit
import Daemon
import Platform

/// The pictures of the cameras: each is a file that any computer shows.
extension StickWork {
    func copyPictures() throws(StickFile.Trouble) -> StickReport {
        try needStick()
        let names = PictureRing.names(in: places.pictures)
        guard !names.isEmpty else {
            throw StickFile.Trouble(
                "There are no pictures here. Cameras of the section 'cameras' take some when there is an alarm.")
        }
        // What was copied before is not copied again.
        let there = Set(DirectoryList.names(in: places.mount))
        var count = 0
        for name in names where !there.contains(name) {
            let bytes: [UInt8]
            do throws(SystemError) {
                bytes = try FileReader.read("\(places.pictures)/\(name)", limit: PictureRing.largest)
            } catch {
                // It was the oldest, and has gone meanwhile.
                continue
            }
            if count.isMultiple(of: 20) { tell("Pictures are copied: \(count) of \(names.count) …") }
            _ = try write(name, bytes)
            count += 1
        }
        return done(
            "Copied: \(count) pictures, and read back; \(names.count) are here. Take the stick out. ANYBODY WHO HAS IT CAN "
                + "LOOK AT THEM.")
    }
}

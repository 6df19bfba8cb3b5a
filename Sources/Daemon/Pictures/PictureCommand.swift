import AlarmModel
import ApplianceCore
import Card
package import CommandKit
import PhoneLink
import PhoneProtocol
import Platform

/// `run-picture`: takes a picture of a camera, for the daemon and without its rights. The service manager starts it with a
/// connection as standard input and output.
package struct PictureCommand: Command {
    var directory: String
    var authorityFile: String?

    package func run(on console: Console) -> Int32 {
        StandardLine.serve(
            { PictureRequest($0) }, limit: PictureRequest.longest,
            refusal: PictureAnswer.failed("the request is not as it should be").json,
            complaint: "no picture can be taken", on: console
        ) { request, loop in
            PictureWork(request, directory, authorityFile: authorityFile, on: loop) { answer in
                // Nobody may be there any more: a picture that was taken is kept and sent all the same, one that is told
                // again is not.
                let isHeard = StandardLine.write(answer.json.utf8)
                if answer.isLast || (!isHeard && request.task.isAgain) { loop.stop() }
            }
        }
    }
}

/// One task for the core. Confined to the loop's thread.
final class PictureWork {
    private let ring: PictureRing
    private let authorityFile: String?
    /// Time at which certificates have to be valid; nil: now, by the system's clock.
    private let now: WallTime?
    private let loop: EventLoop
    private let say: (PictureAnswer) -> Void
    private var snapshot: CameraSnapshot?
    private var sender: PictureSender?

    /// - Parameter say: called later; nothing follows the last word
    init(
        _ request: PictureRequest, _ directory: String, authorityFile: String? = nil, on loop: EventLoop,
        say: @escaping (PictureAnswer) -> Void
    ) {
        ring = PictureRing(directory: directory, keptBytes: request.keptBytes, keptDays: request.keptDays)
        self.authorityFile = authorityFile
        now = request.now
        self.loop = loop
        self.say = say
        switch request.task {
        case .take(let shot): take(shot)
        case .tidy:
            let now = SystemClock.wallTime()
            loop.later { self.finish { () throws(PictureRing.Fault) in try self.ring.tidy(now: now) } }
        case .forget: loop.later { self.finish { () throws(PictureRing.Fault) in try self.ring.deleteAll() } }
        case .again(let again):
            let kept = ring.kept(from: again.from, until: again.until, cameras: again.cameras)
            loop.later { self.send(kept[...], again, sent: 0) }
        }
    }

    /// Those that are kept, one after the other; what cannot be sent ends it.
    private func send(_ kept: ArraySlice<PictureRing.Kept>, _ again: PictureRequest.Again, sent: Int) {
        guard let next = kept.first, sent < again.most else { return say(.done(sent: sent)) }
        let rest = kept.dropFirst()
        // It may be deleted by now.
        guard let picture = try? FileReader.read(next.path, limit: PictureRing.largest),
            picture.starts(with: SnapshotReader.jpeg)
        else { return send(rest, again, sent: sent) }
        let parcel = parcel(picture, next.camera, next.time, again.authorities, link: again.link)
        sender = PictureSender(parcel, to: again.uploads, on: loop, onSealed: { self.say(.sealed($0)) }) { _, why in
            if let why { return self.say(.unsent(why)) }
            self.send(rest, again, sent: sent + 1)
        }
    }

    private func parcel(
        _ picture: [UInt8], _ camera: String, _ time: WallTime, _ authorities: PictureAuthorities, link: String?
    ) -> PictureSender.Parcel {
        let (authorityFile, now) = (authorityFile, now)
        return PictureSender.Parcel(
            picture: picture, camera: camera, time: time, fileName: PictureRing.name(camera, time) + PictureRing.suffix,
            trust: { server throws(TLSFailure) in
                guard let pem = authorities[server] else { return try TLSTrust(caFile: authorityFile, at: now) }
                return try TLSTrust(pem: Array(pem.utf8), subject: "the file of '\(server.setting)'", at: now)
            }, link: link.map { .interface($0) } ?? .any)
    }

    private func finish(_ work: () throws(PictureRing.Fault) -> Void) {
        do throws(PictureRing.Fault) {
            try work()
            say(.done(sent: 0))
        } catch {
            say(.failed(error.description))
        }
    }

    private func take(_ shot: PictureRequest.Shot) {
        let (authorityFile, now) = (authorityFile, now)
        snapshot = CameraSnapshot(
            shot.camera, trust: { () throws(TLSFailure) in try TLSTrust(caFile: authorityFile, at: now) }, on: loop
        ) { result in
            switch result {
            case .failure(let fault): self.say(.failed(fault.description))
            case .success(let picture): self.keep(picture, shot)
            }
        }
    }

    private func keep(_ picture: [UInt8], _ shot: PictureRequest.Shot) {
        var why: String?
        do throws(PictureRing.Fault) {
            _ = try ring.keep(picture, camera: shot.camera.name, at: shot.time)
            say(.kept(bytes: picture.count))
        } catch {
            // Who is told sees it all the same.
            why = error.description
        }
        let parcel = parcel(picture, shot.camera.name, shot.time, shot.authorities, link: shot.link)
        sender = PictureSender(
            parcel, to: shot.uploads, on: loop, onSealed: { self.say(.sealed($0)) }
        ) { sent, unsent in
            if let why { return self.say(.failed(why)) }
            self.say(unsent.map { .unsent($0) } ?? .done(sent: sent))
        }
    }
}

extension PictureCommand {
    /// Where the unit keeps them.
    static let directory = "/var/lib/howalarming-pictures"

    package static let entry = CommandEntry(
        "run-picture", in: .acting, brief: "take a picture of a camera", isListed: false,
        """
        Takes a picture of a camera of the section 'cameras' for the daemon, without the daemon's rights: reads one
        request from standard input, as the unit howalarming-picture.socket hands it over, keeps the picture in a
        directory of its own, sends it where the request says: to topics, sealed for the app, as a mail, to a broker; and
        answers in lines of JSON. It seals pictures that are kept anew, too, when a phone asks for them.

        --directory DIR  of the pictures (\(directory))
        --ca-file FILE   authorities for cameras and servers (the system's)
        """
    ) { given throws(UsageError) in
        PictureCommand(
            directory: given.value("--directory") ?? directory, authorityFile: given.value("--ca-file"))
    }
}

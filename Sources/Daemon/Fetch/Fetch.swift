import AlarmModel
import ApplianceCore
import Card
import Glibc
import PhoneLink
import Platform
import SoftwareUpdate

/// One task for the core: asks the owner's host what it offers, gets the bundle, or follows the updater. Confined to the
/// loop's thread.
///
/// Guarantees: what is not signed for this board, is older than what was seen, or has expired goes no further; the bundle is
/// written only as far as it was signed.
final class Fetch {
    struct Settings {
        var directory = FetchAnswer.directory
        var places = UpdatePlaces()
        /// Where the request brings no authorities; nil: those of the system.
        var authorityFile: String?
        var offer = WebGet.Limits(bodyBytes: SignedOffer.longest, total: .seconds(60), silence: .seconds(30))
        /// For a bundle; its size is the offer's.
        var total = Duration.hours(1)
        var silence = Duration.seconds(60)
        /// For the updater to begin, and between looks at it.
        var patience = Duration.minutes(3)
        var pace = Duration.seconds(1)
    }

    private let request: FetchRequest
    private let settings: Settings
    private let loop: EventLoop
    private let say: (FetchAnswer) -> Void
    private var get: WebGet?
    private var offerBytes: [UInt8] = []
    private var percent = -1
    private let began = SystemClock.bootTime()

    /// - Parameter say: called later; the last word is the one that is no progress
    init(_ request: FetchRequest, _ settings: Settings, on loop: EventLoop, say: @escaping (FetchAnswer) -> Void) {
        self.request = request
        self.settings = settings
        self.loop = loop
        self.say = say
        switch request.task {
        case .ask, .get: loop.later { self.ask() }
        case .follow: loop.later { self.follow() }
        }
    }

    private func trust() throws(TLSFailure) -> TLSTrust {
        let now = WallTime(milliseconds: request.now.multipliedReportingOverflow(by: 1000).partialValue)
        guard let pem = request.authorities else { return try TLSTrust(caFile: settings.authorityFile, at: now) }
        return try TLSTrust(pem: Array(pem.utf8), subject: "the file of 'updates.ca_file'", at: now)
    }

    private var link: Link { request.link.map { .interface($0) } ?? .any }

    private func ask() {
        let url: HTTPURL
        do throws(HTTPURLError) {
            url = try HTTPURL(request.url)
        } catch {
            return say(.failed(error.description))
        }
        get = WebGet(
            url, trust: trust, link: link, limits: settings.offer, on: loop,
            onBody: { self.offerBytes += $0 },
            then: { stop in
                if let stop { self.say(self.named(url, stop).answer) } else { self.judge(url) }
            })
    }

    private func named(_ url: HTTPURL, _ stop: FetchStop) -> FetchStop {
        switch stop {
        case .failed(let why): .failed("\(url.host): \(why)")
        case .refused: stop
        }
    }

    private func judge(_ url: HTTPURL) {
        do throws(FetchStop) {
            let policy: UpdatePolicy
            do throws(UpdateStop) {
                policy = try settings.places.policy(slotBytes: nil, isOlderConfirmed: false)
            } catch {
                throw .failed(error.description)
            }
            BundleStore.tidy(settings.directory, installed: policy.installed)
            let offer = try Self.checked(offerBytes, policy, request)
            let told = FetchAnswer.Offer(
                number: offer.number, version: offer.release.version,
                isNewer: offer.release.number > policy.installed.number)
            guard request.task == .get else { return say(.offer(told)) }
            guard told.isNewer else { return say(.got(told)) }
            try fetch(offer.bundle, told, beside: url)
        } catch {
            say(error.answer)
        }
    }

    static func checked(
        _ bytes: [UInt8], _ policy: UpdatePolicy, _ request: FetchRequest
    ) throws(FetchStop) -> UpdateOffer {
        let signed: SignedOffer
        do throws(BundleError) {
            signed = try SignedOffer(bytes)
        } catch {
            // Anybody's web page: no attack, and nothing that people have to know at once.
            throw .failed(OfferRefusal(error).description)
        }
        do throws(OfferRefusal) {
            try signed.check(policy, seen: request.seen, now: request.now, OpenSSLCrypto())
        } catch {
            throw .refused(error.description)
        }
        return signed.current
    }

    private func fetch(
        _ bundle: BundleManifest.Part, _ told: FetchAnswer.Offer, beside url: HTTPURL
    ) throws(FetchStop) {
        let store = BundleStore(settings.directory, for: bundle)
        guard !store.isThere() else { return say(.got(told)) }
        let place: HTTPURL
        do throws(HTTPURLError) {
            place = try url.resolving(bundle.name)
        } catch {
            throw .refused("the bundle's name leads nowhere (\(error))")
        }
        try store.begin()
        get = WebGet(
            place, trust: trust, link: link,
            limits: WebGet.Limits(bodyBytes: bundle.bytes, total: settings.total, silence: settings.silence), on: loop,
            onBody: { (bytes) throws(FetchStop) in self.tell(try store.take(bytes)) },
            then: { stop in
                do throws(FetchStop) {
                    if let stop { throw self.named(place, stop) }
                    try store.finish()
                    self.say(.got(told))
                } catch {
                    store.discard()
                    self.say(error.answer)
                }
            })
    }

    private func tell(_ percent: Int) {
        guard percent != self.percent else { return }
        self.percent = percent
        say(.progress(percent))
    }

    // MARK: The updater

    private func follow() {
        switch update() {
        case nil where SystemClock.bootTime() - began > settings.patience:
            return say(.failed("the updater did not begin; look at the unit howalarming-update.path"))
        case nil: break
        case let status? where !status.phase.isOver:
            tell(status.percent)
            guard SystemClock.bootTime() - began <= settings.total else {
                return say(.failed("the updater does not come to an end"))
            }
        case let status?: return say(status.phase == .done ? .installed : .refused(status.message))
        }
        _ = loop.setTimer(after: settings.pace) { self.follow() }
    }

    /// How far the updater is with this bundle; what was said before the bundle was there is of another one.
    private func update() -> UpdateStatus? {
        guard let file = settings.places.status, let told = Self.changed(file),
            let bundle = Self.changed("\(settings.directory)/\(FetchAnswer.bundleName)"), told >= bundle
        else { return nil }
        return (try? FileReader.read(file, limit: 16 * 1024)).flatMap { UpdateStatus(file: $0) }
    }

    private static func changed(_ path: String) -> Int64? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }
}

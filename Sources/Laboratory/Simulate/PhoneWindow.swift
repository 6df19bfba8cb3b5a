import AlarmModel
import Companion
import Glibc
import Platform
import Simulators

/// A virtual phone's screen and keys. Confined to the loop's thread.
final class PhoneWindow {
    private let screen: PhoneScreen
    private let shell: PhoneShell
    private let loop: EventLoop
    private let name: String
    private var news: [String] = []
    private var watch: Watch?
    private var tick: TimerToken?

    init(_ screen: PhoneScreen, for shell: PhoneShell, on loop: EventLoop, name: String) {
        self.screen = screen
        self.shell = shell
        self.loop = loop
        self.name = name
    }

    func open() throws(SystemError) {
        shell.onLine = { [weak self] line in
            guard let self else { return }
            news = Array((news + [line]).suffix(20))
            loop.later { [weak self] in self?.draw() }
        }
        watch = try loop.watch(STDIN_FILENO, for: .read) { [weak self] _ in self?.read() }
        draw()
        beat()
    }

    func close() {
        watch?.cancel()
        if let tick { loop.cancel(tick) }
        screen.leave()
    }

    /// Once a second, because what is shown grows old.
    private func beat() {
        tick = loop.setTimer(after: .seconds(1)) { [weak self] in
            self?.draw()
            self?.beat()
        }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        guard count > 0 else {
            if count == 0 || (errno != EINTR && errno != EAGAIN) { shell.onQuit?() }
            return
        }
        for key in buffer.prefix(count) {
            guard let word = PhoneScreen.word(for: key, isOnline: shell.phone.isOnline) else { continue }
            shell.perform(word)
        }
        draw()
    }

    private func draw() {
        let phone = shell.phone
        let now = SystemClock.moment(isTrusted: false)
        let site = phone.phone?.memory.siteName ?? "not paired; start with --code TEXT"
        screen.show(
            phone.phone?.memory, news: news,
            title: "\(name): \(site)\(phone.isReady ? "" : " (no channel)")",
            at: PhoneTime(uptime: now.boot.nanoseconds / 1_000_000, wall: now.wall.seconds))
    }
}

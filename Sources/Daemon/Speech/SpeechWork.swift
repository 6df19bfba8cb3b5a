import AlarmModel
import Glibc
import Platform

/// Has words made to sound by a speech program and plays them into a call, again and again, until whoever asked goes.
///
/// Guarantees: the words reach the program as its input, never as an argument; the sound is written at its own pace, so
/// that a port without a brake loses none; what the other side says is read and thrown away. Knows nothing of alarms and
/// modems. Confined to the loop's thread.
final class SpeechWork {
    /// The program, where devices are, and where the sound may lie.
    struct Places {
        var program: String
        var devices: String
        var directory: String
    }

    /// The program has so long for the words.
    private let programPatience: Duration
    /// So long a port may take nothing.
    static let portPatience = Duration.seconds(3)
    /// Between the words and the same words.
    static let pause = Duration.milliseconds(1500)
    private static let tick = Duration.milliseconds(20)
    /// Written ahead: the loop may be late, and the line shall not fall silent.
    private static let lead = Duration.milliseconds(120)
    /// Bytes of the program's file: two minutes.
    static let longest = 6 << 20

    private let request: SpeechRequest
    private let places: Places
    private let loop: EventLoop
    private let fail: (String) -> Void
    private var child: ChildProcess?
    private var timer: TimerToken?
    private var line: SerialLine?
    private var sound: [UInt8] = []
    private var began = BootTime.zero
    /// Bytes since the beginning, which the port has taken.
    private var written = 0
    private var lastTaken = BootTime.zero

    /// - Parameter fail: called once at most, later: why nothing is spoken any more
    init(
        _ request: SpeechRequest, _ places: Places, programPatience: Duration = .seconds(15), on loop: EventLoop,
        fail: @escaping (String) -> Void
    ) {
        self.request = request
        self.places = places
        self.programPatience = programPatience
        self.loop = loop
        self.fail = fail
        loop.later { self.makeSound() }
    }

    private var file: String { "\(places.directory)/howalarming-speech-\(getpid()).wav" }

    private func makeSound() {
        let voice =
            switch request.words.language {
            case .english: "en"
            case .german: "de"
            }
        // UTF-8; slower than a reader likes it, for a telephone at night.
        let arguments = ["-b", "1", "-v", voice, "-s", "140", "--stdin", "-w", file]
        do throws(SystemError) {
            let child = try ChildProcess(
                places.program, arguments, input: Array(request.words.text.utf8) + [0x0A], output: .discarded, on: loop)
            child.onEnd = { [weak self] end in self?.made(end) }
            self.child = child
            timer = loop.setTimer(after: programPatience) { [weak self] in self?.child?.kill() }
        } catch {
            fail(
                error.number == ENOENT
                    ? "the program that speaks (espeak-ng) is not installed"
                    : "the program that speaks does not start: \(error)")
        }
    }

    private func made(_ end: ChildProcess.End) {
        child = nil
        if let timer { loop.cancel(timer) }
        defer { _ = unlink(file) }
        switch end {
        case .exited(0): break
        case .exited(let status): return fail("the program that speaks ended with status \(status)")
        case .killed(let signal): return fail("the program that speaks was ended by signal \(signal)")
        }
        guard let bytes = try? FileReader.read(file, limit: Self.longest), let made = Sound(wave: bytes) else {
            return fail("the program that speaks made no sound")
        }
        let silence = [Int16](repeating: 0, count: request.rate * Int(Self.pause.milliseconds) / 1000)
        sound = (made.resampled(to: request.rate).samples + silence).flatMap { sample -> [UInt8] in
            let bits = UInt16(bitPattern: sample)
            return [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
        }
        do throws(SystemError) {
            line = try SerialLine(device: "\(places.devices)/\(request.port)")
        } catch {
            return fail("the modem's port for sound: \(error)")
        }
        (began, lastTaken) = (SystemClock.bootTime(), SystemClock.bootTime())
        play()
    }

    private func play() {
        guard let line else { return }
        while let heard = line.read(), !heard.isEmpty {}
        let now = SystemClock.bootTime()
        let due = Int((now - began + Self.lead).milliseconds) * request.rate / 1000 * 2
        while written < due {
            let place = written % sound.count
            let piece = sound[place..<min(sound.count, place + due - written)]
            guard let count = line.write(Array(piece)) else { return stop("the modem's port for sound is gone") }
            written += count
            if count > 0 { lastTaken = now }
            if count < piece.count { break }
        }
        guard now - lastTaken < Self.portPatience else { return stop("the modem's port for sound takes nothing") }
        timer = loop.setTimer(after: Self.tick) { [weak self] in self?.play() }
    }

    private func stop(_ why: String) {
        line = nil
        fail(why)
    }

    /// Whoever asked has gone.
    func cancel() { child?.kill() }
}

import Testing

@testable import Daemon

@Suite("The sound that a speech program writes")
struct SoundTests {
    /// Of 22 050 Hz, with a part that nobody asks for in front of the samples.
    private static func wave(
        _ samples: [Int16], rate: Int = 22_050, form: Int = 1, channels: Int = 1, bits: Int = 16, size: Int? = nil
    ) -> [UInt8] {
        func little(_ number: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        let data = samples.flatMap { little(Int($0), 2) }
        let width = channels * bits / 8
        let format =
            little(form, 2) + little(channels, 2) + little(rate, 4) + little(rate * width, 4) + little(width, 2)
            + little(bits, 2)
        let odd = Array("LIST".utf8) + little(3, 4) + [1, 2, 3, 0]
        return Array("RIFF".utf8) + little(36 + odd.count + data.count, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
            + format + odd + Array("data".utf8) + little(size ?? data.count, 4) + data
    }

    @Test("its samples and their rate are read, whatever size a program that writes as it speaks gives")
    func itsSamplesAreRead() {
        let samples: [Int16] = [0, 1, -1, .max, .min]
        for size in [nil, 0x7FFF_FFFF] {
            #expect(Sound(wave: Self.wave(samples, size: size)) == Sound(rate: 22_050, samples: samples))
        }
    }

    @Test("two channels, other samples, no sound and no such file are refused")
    func otherFilesAreRefused() {
        let samples: [Int16] = [1, 2, 3, 4]
        for bytes in [
            Self.wave(samples, channels: 2), Self.wave(samples, bits: 8), Self.wave(samples, form: 3),
            Self.wave(samples, rate: 0), Self.wave([]), [], Array("RIFF".utf8),
        ] {
            #expect(Sound(wave: bytes) == nil)
        }
    }

    @Test("a file that is cut anywhere is refused, or gives the samples that are there whole")
    func aFileThatIsCutIsRefused() {
        let samples: [Int16] = [100, -200, 300]
        let whole = Self.wave(samples)
        let head = whole.count - 6
        for length in 0..<whole.count {
            let sound = Sound(wave: Array(whole[..<length]))
            let count = max(0, (length - head) / 2)
            #expect(sound == (count == 0 ? nil : Sound(rate: 22_050, samples: Array(samples[..<count]))))
        }
    }

    @Test("at another rate it lasts as long, a steady tone stays what it is, and what is too high for it is damped")
    func atAnotherRateItLastsAsLong() {
        let steady = Sound(rate: 22_050, samples: [Int16](repeating: 1000, count: 22_050))
        #expect(steady.resampled(to: 8000) == Sound(rate: 8000, samples: [Int16](repeating: 1000, count: 8000)))
        #expect(steady.resampled(to: 48_000).samples.count == 48_000)
        #expect(steady.resampled(to: 22_050) == steady)
        let shrill = Sound(rate: 22_050, samples: (0..<22_050).map { $0 % 2 == 0 ? 12_000 : -12_000 })
        #expect(shrill.resampled(to: 8000).samples.allSatisfy { abs(Int($0)) <= 6000 })
        #expect(Sound(rate: 22_050, samples: [7]).resampled(to: 8000).samples == [7])
        #expect(Sound(rate: 22_050, samples: []).resampled(to: 8000).samples == [])
    }
}

/// Sound of one channel, in samples of 16 bits.
struct Sound: Equatable {
    /// Samples a second.
    var rate: Int
    var samples: [Int16]

    /// Samples a second that are believed.
    static let rates = 4000...192_000

    init(rate: Int, samples: [Int16]) {
        self.rate = rate
        self.samples = samples
    }

    /// A RIFF WAVE file of plain samples, as speech programs write it.
    ///
    /// - Returns: nil: it is none, has more channels or samples of another size, or holds no sound
    init?(wave bytes: [UInt8]) {
        guard Self.name(bytes, at: 0) == "RIFF", Self.name(bytes, at: 8) == "WAVE" else { return nil }
        var rate: Int?
        var place = 12
        while let name = Self.name(bytes, at: place), let size = Self.number(bytes, at: place + 4, of: 4) {
            let content = place + 8
            switch name {
            case "fmt ":
                guard let form = Self.number(bytes, at: content, of: 2), form == 1,
                    let channels = Self.number(bytes, at: content + 2, of: 2), channels == 1,
                    let told = Self.number(bytes, at: content + 4, of: 4), Self.rates.contains(told),
                    let bits = Self.number(bytes, at: content + 14, of: 2), bits == 16
                else { return nil }
                rate = told
            case "data":
                // A program that writes as it speaks does not know the size beforehand.
                let end = min(content + size, bytes.count)
                guard let rate, end - content >= 2 else { return nil }
                let samples = stride(from: content, to: end - 1, by: 2).map { at in
                    Int16(bitPattern: UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8)
                }
                self.init(rate: rate, samples: samples)
                return
            default: break
            }
            // Each part begins at an even place.
            place = content + size + size % 2
        }
        return nil
    }

    private static func name(_ bytes: [UInt8], at place: Int) -> String? {
        place + 4 <= bytes.count ? String(decoding: bytes[place..<place + 4], as: UTF8.self) : nil
    }

    /// The lowest byte first.
    private static func number(_ bytes: [UInt8], at place: Int, of size: Int) -> Int? {
        guard place + size <= bytes.count else { return nil }
        return bytes[place..<place + size].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// At another rate. Each sample is the mean of those whose time it takes: what a telephone cannot carry is damped by it.
    func resampled(to rate: Int) -> Sound {
        guard rate != self.rate, !samples.isEmpty else { return Sound(rate: rate, samples: samples) }
        let count = max(1, samples.count * rate / self.rate)
        let made = (0..<count).map { index -> Int16 in
            let first = min(index * self.rate / rate, samples.count - 1)
            let end = min(max(first + 1, (index + 1) * self.rate / rate), samples.count)
            return Int16(clamping: samples[first..<end].reduce(0) { $0 + Int($1) } / (end - first))
        }
        return Sound(rate: rate, samples: made)
    }
}

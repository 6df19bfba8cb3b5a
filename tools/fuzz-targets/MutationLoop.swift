#if !LIBFUZZER
    import Glibc

    /// Stands in for libFuzzer where the toolchain has none: mutates the kept inputs, blind to coverage.
    ///
    /// Arguments as libFuzzer's: files are checked one by one; with `-runs=N`, N mutated inputs are made out of the files
    /// of the directories. `-seed=N` repeats a run. The input at work is in the file that `-current=FILE` names, so that
    /// it is there after a crash.
    @main
    enum MutationLoop {
        static func main() {
            var runs = 0
            var random = Generator(state: 1)
            var current: CInt = -1
            var corpus: [[UInt8]] = []
            for argument in CommandLine.arguments.dropFirst() {
                if let value = number(argument, after: "-runs=") {
                    runs = value
                } else if let value = number(argument, after: "-seed=") {
                    random = Generator(state: UInt64(truncatingIfNeeded: value))
                } else if argument.hasPrefix("-current=") {
                    current = open(String(argument.dropFirst("-current=".count)), O_RDWR | O_CREAT, 0o600)
                } else if !argument.hasPrefix("-") {
                    corpus += files(at: argument)
                }
            }
            let target = FuzzTarget.chosen
            for input in corpus { run(target, input, current) }
            for _ in 0..<runs {
                let input = mutated(corpus.isEmpty ? [] : corpus[random.below(corpus.count)], corpus, &random)
                run(target, input, current)
            }
            say("Done \(corpus.count + runs) runs of \(target.rawValue) (without coverage)")
        }

        private static func run(_ target: FuzzTarget, _ input: [UInt8], _ current: CInt) {
            if current >= 0 {
                _ = ftruncate(current, 0)
                _ = pwrite(current, input, input.count, 0)
            }
            target.check(input)
        }

        private static func number(_ argument: String, after prefix: String) -> Int? {
            argument.hasPrefix(prefix) ? Int(argument.dropFirst(prefix.count)) : nil
        }

        private static func mutated(_ seed: [UInt8], _ corpus: [[UInt8]], _ random: inout Generator) -> [UInt8] {
            var bytes = seed
            for _ in 0...random.below(8) {
                let place = random.below(bytes.count + 1)
                switch random.below(6) {
                case 0: bytes.insert(UInt8(random.below(256)), at: place)
                case 1 where place < bytes.count: bytes.remove(at: place)
                case 2 where place < bytes.count: bytes[place] ^= 1 << UInt8(random.below(8))
                case 3 where place < bytes.count: bytes[place] = UInt8(random.below(256))
                case 4: bytes.removeSubrange(place..<min(bytes.count, place + random.below(32)))
                default:
                    let other = corpus.isEmpty ? [] : corpus[random.below(corpus.count)]
                    let start = random.below(other.count + 1)
                    bytes.insert(contentsOf: other[start..<min(other.count, start + random.below(64))], at: place)
                }
            }
            return Array(bytes.prefix(4096))
        }

        /// The bytes of a file, or of all files of a directory in the order of their names.
        private static func files(at path: String) -> [[UInt8]] {
            guard let directory = opendir(path) else { return contents(of: path).map { [$0] } ?? [] }
            defer { closedir(directory) }
            var names: [String] = []
            while let entry = readdir(directory) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { raw in
                    String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
                }
                if !name.hasPrefix(".") { names.append(path + "/" + name) }
            }
            return names.sorted().compactMap(contents)
        }

        private static func contents(of path: String) -> [UInt8]? {
            let descriptor = open(path, O_RDONLY)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            let count = read(descriptor, &bytes, bytes.count)
            return count < 0 ? nil : Array(bytes.prefix(count))
        }
    }

    /// SplitMix64.
    private struct Generator {
        var state: UInt64

        mutating func below(_ bound: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return Int((value ^ (value >> 31)) % UInt64(max(1, bound)))
        }
    }
#endif

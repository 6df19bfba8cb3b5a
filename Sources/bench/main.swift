// For: tools/bench, what can only be measured inside: how many lines a second go through the reader of the panel's lines.
//
// Usage: bench parser STREAM SECONDS TRANSCRIPT…   reads what the module says in the transcripts, over and over; writes the
//                                                  bytes it read to the file STREAM, for others to read the same
// Prints "parsed LINES NANOSECONDS".
import Glibc
import PanelLink
import Simulators

func fail(_ reason: String, status: Int32 = 1) -> Never {
    let text = Array("bench: \(reason)\n".utf8)
    _ = write(STDERR_FILENO, text, text.count)
    exit(status)
}

func nanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

func contents(of path: String) -> String {
    guard let file = fopen(path, "r") else { fail("\(path) cannot be read") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer.prefix(count) }
    return String(decoding: bytes, as: UTF8.self)
}

/// All that the module says, hostile lines included.
func stream(of paths: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for path in paths {
        do throws(TranscriptError) {
            for numbered in try Transcript(parsing: contents(of: path)).steps {
                if case .send(let pieces) = numbered.step { bytes += pieces.joined() }
            }
        } catch {
            fail("\(path): \(error)")
        }
    }
    return bytes
}

func save(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { fail("\(path) cannot be written") }
    let count = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, count == bytes.count else { fail("\(path) cannot be written") }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 4, arguments[0] == "parser", let seconds = Double(arguments[2]), seconds > 0, seconds < 3600
else {
    fail("usage: bench parser STREAM SECONDS TRANSCRIPT…", status: 64)
}
let bytes = stream(of: Array(arguments[3...]))
guard !bytes.isEmpty else { fail("the transcripts hold no line of the module") }
save(bytes, to: arguments[1])

// What one segment on an Ethernet carries.
let segments = stride(from: 0, to: bytes.count, by: 1448).map { Array(bytes[$0..<min($0 + 1448, bytes.count)]) }
let begin = nanoseconds()
let limit = Int64(seconds * 1e9)
var reader = LineReader()
var lines = 0
while nanoseconds() - begin < limit {
    for segment in segments {
        reader.append(segment)
        while reader.next() != nil { lines += 1 }
    }
}
print("parsed \(lines) \(nanoseconds() - begin)")

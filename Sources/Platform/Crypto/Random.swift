import CLinux
import Glibc

/// Random bytes of the kernel, good for keys.
package enum Random {
    package static func bytes(_ count: Int) -> [UInt8] {
        precondition(count >= 0, "a count of bytes is not negative")
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes { all in
                uninterrupted { getrandom(all.baseAddress.map { $0 + done }, all.count - done, 0) }
            }
            precondition(got > 0, "the kernel gives random bytes once it has started")
            done += got
        }
        return bytes
    }

    /// For seeds.
    package static func number() -> UInt64 { bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }
}

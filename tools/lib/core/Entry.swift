// The door of core.wasm: bytes in, bytes out (AppCore says what is in them). One instance is one house.
//
//   reserve(n)   where the page writes the n bytes of a call
//   call(n)      does the call; how many bytes its answer has
//   answer()     where they are, until the next call
//
// Import "page"."random"(pointer, count): fill that many bytes, good for keys.

import AppCore
import PortableCrypto

@_extern(wasm, module: "page", name: "random")
@_extern(c)
private func pageRandom(_ place: UnsafeMutableRawPointer, _ count: Int)

// A page's instance has one thread.
nonisolated(unsafe) private var core = AppCore(
    crypto: PortableCrypto { count in
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            if let place = buffer.baseAddress, count > 0 { pageRandom(place, count) }
            filled = count
        }
    })
nonisolated(unsafe) private var input = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 0)
nonisolated(unsafe) private var output = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 0)

@_expose(wasm, "reserve")
@_cdecl("reserve")
func reserve(_ count: Int) -> UnsafeMutableRawPointer? {
    input.deallocate()
    input = .allocate(capacity: max(1, count))
    return UnsafeMutableRawPointer(input.baseAddress)
}

@_expose(wasm, "call")
@_cdecl("call")
func call(_ count: Int) -> Int {
    let bytes = Array(input.prefix(count))
    input.deallocate()
    input = .allocate(capacity: 0)
    let answer = core.call(bytes)
    output.deallocate()
    output = .allocate(capacity: max(1, answer.count))
    _ = output.update(fromContentsOf: answer)
    return answer.count
}

@_expose(wasm, "answer")
@_cdecl("answer")
func answer() -> UnsafeMutableRawPointer? { UnsafeMutableRawPointer(output.baseAddress) }

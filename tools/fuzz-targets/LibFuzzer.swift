#if LIBFUZZER
    import Glibc

    /// Hands the command line to libFuzzer, which then calls `testOneInput` for every input.
    ///
    /// Its own `main` cannot be used: the package manager gives the entry point of an executable another name.
    @main
    enum LibFuzzer {
        static func main() {
            var count = CommandLine.argc
            var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
            exit(runDriver(&count, &arguments, testOneInput))
        }
    }

    private func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        FuzzTarget.chosen.check(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
    }

    @_silgen_name("LLVMFuzzerRunDriver")
    private func runDriver(
        _ count: UnsafeMutablePointer<CInt>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
        _ testOneInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    ) -> CInt
#endif

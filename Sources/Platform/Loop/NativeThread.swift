import CLinux

/// A detached thread of the operating system.
enum NativeThread {
    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void
        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts a thread that takes no signals: they are the loop's.
    static func start(_ name: String, _ run: @escaping @Sendable () -> Void) throws(SystemError) {
        let body = Unmanaged.passRetained(Body(name: name, run: run))
        let result = ha_start_thread(
            { pointer in
                guard let pointer else { return }
                let body = Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue()
                ha_name_thread(body.name)
                body.run()
            }, body.toOpaque())
        guard result == 0 else {
            body.release()
            throw SystemError(call: "pthread_create", number: result, subject: name)
        }
    }
}

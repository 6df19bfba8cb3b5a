import CommandKit
import Platform

/// What every simulator is: a loop that runs until SIGTERM, SIGINT or SIGHUP.
enum LoopCommand {
    /// - Parameter body: opens what listens, runs the loop, and gives the exit status
    static func serve(on console: Console, _ body: (EventLoop) throws -> Int32) -> Int32 {
        SignalSource.blockSignals()
        do {
            let loop = try EventLoop()
            let signals = try SignalSource(on: loop) { signal in
                switch signal {
                case .terminate, .interrupt, .hangup: loop.stop()
                case .user1: break
                }
            }
            defer { signals.cancel() }
            return try body(loop)
        } catch {
            console.complain("\(error)")
            return ExitStatus.failed
        }
    }

    /// A file for people, read by `parse`; what is wrong in it is said with its name.
    static func read<Value>(_ file: String, _ parse: (String) throws -> Value) throws -> Value {
        let text = String(decoding: try FileReader.read(file, limit: 4 * 1024 * 1024), as: UTF8.self)
        do {
            return try parse(text)
        } catch {
            throw FileProblem(description: "\(file): \(error)")
        }
    }

    private struct FileProblem: Error, CustomStringConvertible {
        var description: String
    }
}

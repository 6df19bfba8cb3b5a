import AlarmModel
import CommandKit
import Platform

/// `run --modem-network`: puts the modem's addresses on its interface, for the daemon, which has no right to.
struct ModemNetworkCommand: Command {
    /// Until it is told to stop.
    func run(on console: Console) -> Int32 {
        do throws(SystemError) {
            let loop = try EventLoop()
            SignalSource.blockSignals()
            let signals = try SignalSource(on: loop) { signal in
                switch signal {
                case .terminate, .interrupt: loop.stop()
                case .hangup, .user1: break
                }
            }
            let log = LogWriter()
            let keeper = ModemNetworkKeeper(on: loop) { log.write($0) }
            loop.run()
            keeper.close()
            withExtendedLifetime(signals) {}
            return ExitStatus.done
        } catch {
            console.complain("the modem's addresses cannot be cared for: \(error)")
            return ExitStatus.failed
        }
    }
}

import AlarmModel
import Platform

/// `run --modem-network`: puts the modem's addresses on its interface, for the daemon, which has no right to.
package struct ModemNetworkCommand {
    package init() {}

    /// - Returns: 0 when it was told to stop; 1 with a sentence where it could not begin
    package func run(complain: (String) -> Void) -> Int32 {
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
            return 0
        } catch {
            complain("the modem's addresses cannot be cared for: \(error)")
            return 1
        }
    }
}

import AlarmModel
import CommandKit
import Platform

/// Interfaces and addresses, as the kernel has them: also without the daemon.
struct NetworkScreen {
    var view: ConsoleView
    var width: Int

    var lines: [ConsoleLine] {
        interfaces + (view.machine.card.map { [ConsoleLine("")] + CardLines(report: $0, width: width).all } ?? [])
    }

    private var interfaces: [ConsoleLine] {
        var lines = [ConsoleLine("Name     \(Text.printable(view.machine.hostName))").fitted(to: width)]
        guard !view.machine.network.interfaces.isEmpty else {
            return lines + ConsoleLine.wrapped("there is no network interface; is the driver there?", width: width)
        }
        for interface in view.machine.network.interfaces {
            let state = !interface.isUp ? "off" : interface.hasCarrier ? "connected" : "no cable or signal"
            let isGood = interface.isUp && interface.hasCarrier && !interface.addresses.isEmpty
            lines += ConsoleLine.wrapped(
                "\(Text.printable(interface.name)): \(state)", width: width, isGood ? .plain : .yellow)
            for address in interface.addresses {
                lines.append(ConsoleLine("  \(address.description)").fitted(to: width))
            }
            if interface.isUp, interface.hasCarrier, interface.addresses.isEmpty {
                lines += ConsoleLine.wrapped(
                    "no address: does a DHCP server answer?", width: width, label: "  ", .yellow)
            }
        }
        return lines
    }
}

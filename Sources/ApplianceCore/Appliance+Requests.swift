import AlarmModel
import PanelLink
import PhoneLink
import Uplinks

/// What programs on the control socket ask of the machines.
extension Appliance {
    mutating func requested(_ request: ControlRequest, by client: ConnectionID, _ step: inout Step) {
        let steers = request.steersPairing && pairing.clients.contains(client)
        guard control.requested(request, by: client, steersPairing: steers, &step) else { return }
        switch request {
        case .status: step.reply(.status(BoxReports(box: self, step: step).status), to: client)
        case .panel: step.reply(.panel(panelConnection.session.report(at: step.now)), to: client)
        case .links(let isTest):
            step.reply(.links(BoxReports(box: self, step: step).linksReport), to: client)
            if isTest { links(&step) { $0.driveLinks(&$1) { $0.test(at: $1, into: &$2) } } }
        case .people(let request): directory(&step) { $0.requested(request, by: client, &$1) }
        case .phones(let request): requested(request, by: client, &step)
        case .command(let command, let code): commands(&step) { $0.ask(command, code: code, for: client, &$1) }
        case .updates(let request): updates(&step) { $0.requested(request, by: client, $1, &$2) }
        case .forgetPictures: cameras(&step) { $0.forgetAll(for: client, &$2) }
        case .trace, .events, .maintenance, .reboot, .update, .stick, .console: break
        }
    }

    private mutating func requested(_ request: PhonesRequest, by client: ConnectionID, _ step: inout Step) {
        switch request {
        case .list: step.finishRequest(of: client, with: .phones(BoxReports(box: self, step: step).phones))
        case .pair(let person, let roles, let noPresence):
            pairing(&step) { $0.beginPairing(person, roles, noPresence: noPresence, for: client, &$1) }
        case .pairContact(let request): pairing(&step) { $0.beginContactPairing(request, for: client, &$1) }
        case .confirm(let code): pairing(&step) { $0.confirmPairing(code, for: client, &$1) }
        case .cancelPairing: pairing(&step) { $0.cancel(by: client, &$1) }
        case .codes(let name): pairing(&step) { $0.beginCodes(of: name, for: client, &$1) }
        case .codesOff(let name): pairing(&step) { $0.removeCodes(of: name, for: client, &$1) }
        case .allow(let name, let verbs, let tellsArming):
            directory(&step) { $0.allow(verbs, tellsArming: tellsArming, to: name, by: client, &$1) }
        case .rename(let name, let new): directory(&step) { $0.rename(name, to: new, by: client, &$1) }
        case .role(let name, let roles): directory(&step) { $0.setRoles(roles, of: name, by: client, &$1) }
        case .lift(let name):
            if !commands.liftCodes(of: name, by: client, &step) { directory(&step) { $0.lift(name, by: client, &$1) } }
        case .revoke(let name): directory(&step) { $0.revoke(name, by: client, &$1) }
        case .approve(let token, let verbs): directory(&step) { $0.approve(token, verbs, by: client, &$1) }
        case .disapprove(let token): directory(&step) { $0.disapprove(token, by: client, &$1) }
        case .test(let name): deliveries(&step) { $0.test(name, asAlarm: false, by: client, &$1) }
        case .testAlarm(let name): deliveries(&step) { $0.test(name, asAlarm: true, by: client, &$1) }
        case .dead(let limit): step.read(.dead(limit: limit), for: .dead(client))
        case .seen:
            commands(&step) { $0.seen(upTo: $1.lastSequence, by: "Somebody at the box", except: nil, &$1) }
            step.wait(.replyChanged(client, "the alarm counts as seen; it is not repeated"))
        }
    }
}

extension ControlRequest {
    /// The digits of a pairing come over the connection that hears of it.
    fileprivate var steersPairing: Bool {
        guard case .phones(let request) = self else { return false }
        switch request {
        case .confirm, .cancelPairing: return true
        case .list, .pair, .pairContact, .codes, .codesOff, .allow, .rename, .role, .revoke, .lift, .test, .testAlarm,
            .approve,
            .disapprove, .dead, .seen:
            return false
        }
    }
}

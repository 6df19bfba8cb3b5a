import AlarmModel
import ApplianceCore
import PanelLink
import Simulators

/// What happens from outside.
extension World {
    func inject(_ fault: WorldFault) throws(Violation) {
        switch fault {
        case .house(let stimulus):
            endSilence(before: stimulus)
            panelTurn { $0.perform(stimulus, at: $1, into: &$2) }
        case .networkCut(let span): panelHost.cut(until: now + span)
        case .diskFails(let kind, let span):
            store.fail(StoreFailure(kind, "simulated"), until: now + span)
            agenda.add(.diskHeals, at: now + span)
        case .diskStalls(let span): store.stall(for: span)
        case .clockJumps(let span): clock.jump(span)
        case .clockSynchronised(let inStep): clock.isSynchronised = inStep
        case .crash(let effect): if running != nil { daemon.dies(at: effect, cutsPower: false) }
        case .powerCut(let effect): if running != nil { daemon.dies(at: effect, cutsPower: true) }
        case .boxOff(let span): if running != nil { die(cutsPower: true, for: span) }
        case .reload: try feed(.reload(.configuration(ownersFile.configuration)))
        case .edit(let edit): try inject(edit)
        case .readsFail(let span): store.failReads(until: now + span)
        case .rowIsRefused: store.refuseRow()
        case .terminate: try feed(.signal(.terminate))
        case .keys(let partition, let keys):
            panelTurn { $0.perform(.keys(partition: partition, Secret(keys)), at: $1, into: &$2) }
        case .maintenance(let on): try operatorAsks(.maintenance(on: on))
        case .command(let command): try operatorAsks(.command(command, code: nil))
        case .commandWithCode(let command, let code): try operatorAsks(.command(command, code: Secret(code)))
        case .panelLinkStandsStill: standStill()
        case .calm:
            daemon.outlives()
            moveOn()
            panelHost.mend(at: now)
            store.mend(at: now)
            try endEdits()
            clock.isSynchronised = true
            endSilence(before: .fault(.none))
            panelTurn { $0.perform(.fault(.none), at: $1, into: &$2) }
        }
    }

    /// Lets the panel act and carries out what it does.
    func panelTurn(_ act: (inout PanelSimulator, BootTime, inout [PanelSimulator.Action]) -> Void) {
        for said in panelHost.turn(at: standpoint, &chances.world, &agenda, act) {
            phoneChecks.panelSays(said.bytes, on: said.peer)
        }
    }

    private func endSilence(before stimulus: PanelSimulator.Stimulus) {
        guard panelHost.endsSilence(stimulus) else { return }
        panelTurn { $0.perform(.dropClient(reset: true), at: $1, into: &$2) }
    }

    /// Who asked; nil when nobody is there to answer.
    @discardableResult
    func operatorAsks(_ request: ControlRequest) throws(Violation) -> ConnectionID? {
        guard running != nil, let client = boxOperator.begin(request, at: now) else { return nil }
        truthPromises.ordered(request, from: client)
        try submit(request, from: client)
        return client
    }

    func submit(_ request: ControlRequest, from client: ConnectionID) throws(Violation) {
        try feed(.accepted(client))
        guard running != nil else { return }
        try feed(.request(client, request))
    }

    func operatorHears(_ reply: ControlReply, on client: ConnectionID) throws(Violation) {
        let count = boxOperator.heard(reply, on: client)
        later(.sent(client, upTo: count), in: .milliseconds(1))
        switch reply {
        case .events(let events):
            if client == BoxOperator.follower { try boxOperator.followed(events, disk: store.disk, from: standpoint) }
        case .outcome(let outcome, let stored):
            try boxOperator.ended(client, outcome, stored: stored, from: standpoint)
            try truthPromises.ended(outcome, for: client)
            later(.closed(client, .finished), in: .milliseconds(2))
        case .error:
            later(.closed(client, .finished), in: .milliseconds(2))
            if client == BoxOperator.follower { agenda.add(.followerReturns(run: run), at: now + .seconds(5)) }
        case .maintenance, .people, .phones, .deadMessages, .console:
            later(.closed(client, .finished), in: .milliseconds(2))
        case .changed(let words):
            // Else it was said that the store fails, and that a crash undoes it.
            if !words.contains("as soon as") { phoneChecks.hasRevoked(client) }
            later(.closed(client, .finished), in: .milliseconds(2))
        case .pairing(let progress):
            pairingGoesOn(progress, on: client)
            if BoxOperator.isFinal(reply) { later(.closed(client, .finished), in: .milliseconds(2)) }
        case .status, .endOfEvents, .unstored, .panel, .links, .trace: break
        }
    }
}

import AlarmModel
import PhoneLink
import PhoneProtocol

/// The talks with the taker of pictures: a connection for each task, one line there, lines back.
extension Cameras {
    struct Talk: Codable, Equatable, Sendable {
        var slot: DialSlot
        var task: Task
        /// nil: it is being opened.
        var connection: ConnectionID?
        var until: BootTime
        var input: [UInt8] = []
        /// One word that it is sealed is awaited.
        var mayBeSealed = false
        /// The picture is on the card, and on its way to the places that are told.
        var isKept = false

        var shot: Shot? { if case .take(let shot) = task { shot } else { nil } }
    }

    /// Nothing is too old then: the clock may lie.
    static let daysWithoutClock = 1_000_000

    mutating func begin(_ task: Task, _ step: Step) {
        guard let settings = step.configuration.cameras else { return }
        let slot = (0...Self.slotLimit).map { DialSlot($0) }.first { slot in !talks.contains { $0.slot == slot } }
        guard let slot else { return }
        talks.append(Talk(slot: slot, task: task, until: step.now.boot + Self.patience))
        var target = DialTarget(host: settings.socket, port: 0, security: .plain)
        target.isLocalSocket = true
        actions.append(.transport(.connect(slot, target)))
    }

    mutating func hangUp(_ talk: Talk) {
        talks.removeAll { $0.slot == talk.slot }
        if let connection = talk.connection {
            actions.append(.transport(.close(connection)))
        } else {
            actions.append(.transport(.cancelConnect(talk.slot)))
        }
    }

    mutating func take(_ fact: LineFact, _ around: CameraSurroundings, _ step: inout Step) {
        switch fact {
        case .connected(let connection, let slot): connected(connection, slot, around, step)
        case .failed(_, let slot):
            guard let index = talks.firstIndex(where: { $0.slot == slot }) else { return }
            let talk = talks.remove(at: index)
            ended(
                talk.task,
                .failed("the taker of pictures cannot be reached; look at the unit howalarming-picture.socket"),
                &step)
        case .secured: break
        case .received(let connection, let bytes): received(bytes, on: connection, &step)
        case .closed(let connection, _):
            guard let index = talks.firstIndex(where: { $0.connection == connection }) else { return }
            let talk = talks.remove(at: index)
            ended(talk.task, .failed("the taker of pictures ended without an answer"), &step)
        }
    }

    private mutating func connected(
        _ connection: ConnectionID, _ slot: DialSlot, _ around: CameraSurroundings, _ step: Step
    ) {
        guard let index = talks.firstIndex(where: { $0.slot == slot }), let settings = step.configuration.cameras,
            let task = request(for: talks[index].task, settings, around, step)
        else {
            talks.removeAll { $0.slot == slot }
            return actions.append(.transport(.close(connection)))
        }
        talks[index].connection = connection
        if case .take(let order) = task { talks[index].mayBeSealed = order.uploads.contains(where: \.isSealed) }
        // By a clock that is years ahead every picture would be too old.
        let days = step.now.isWallTrusted ? settings.keptDays : Self.daysWithoutClock
        let request = PictureRequest(
            task, keptDays: days, keptBytes: settings.keptBytes, now: step.nowForServers.wall)
        actions.append(.transport(.send(connection, request.json.utf8 + [0x0A])))
    }

    private mutating func request(
        for task: Task, _ settings: CameraSettings, _ around: CameraSurroundings, _ step: Step
    ) -> PictureRequest.Task? {
        switch task {
        case .tidy: return .tidy
        case .forget: return .forget
        case .again(let again): return .again(order(for: again, settings, around, step))
        case .take(let shot):
            guard let camera = settings.cameras.first(where: { $0.name == shot.camera }) else { return nil }
            var order = PictureRequest.Shot(
                camera: camera, time: step.now.wall, uploads: uploads(of: shot, around, step), link: around.linkName)
            order.authorities = settings.authorities ?? PictureAuthorities()
            return .take(order)
        }
    }

    private mutating func received(_ bytes: [UInt8], on connection: ConnectionID, _ step: inout Step) {
        guard let index = talks.firstIndex(where: { $0.connection == connection }) else { return }
        talks[index].input += bytes
        var talk = talks[index]
        var input = talk.input
        while let end = input.firstIndex(of: 0x0A) {
            let line = Array(input[..<end])
            input.removeSubrange(...end)
            guard let answer = PictureAnswer(line) else {
                hangUp(talk)
                return ended(talk.task, .failed("the taker of pictures said what nobody understands"), &step)
            }
            if case .kept = answer, let shot = talk.shot {
                kept(shot, &step)
                talk.isKept = true
                talk.until = step.now.boot + Self.sendingPatience
            }
            if case .sealed(let reference) = answer { sealed(reference, &talk, &step) }
            talks[index] = talk
            guard answer.isLast else { continue }
            hangUp(talk)
            return ended(talk.task, answer, &step)
        }
        guard input.count <= PictureAnswer.longest else {
            hangUp(talk)
            return ended(talk.task, .failed("the taker of pictures said what nobody understands"), &step)
        }
        talks[index].input = input
    }

    private mutating func sealed(_ reference: PictureReference, _ talk: inout Talk, _ step: inout Step) {
        switch talk.task {
        case .take(let shot):
            guard talk.mayBeSealed else { return }
            talk.mayBeSealed = false
            sealed(reference, shot, &step)
        case .again(var again):
            sealedAgain(reference, &again, &step)
            talk.task = .again(again)
        case .tidy, .forget: break
        }
    }

    // MARK: What somebody at the box asks

    /// All pictures are to be deleted.
    mutating func forgetAll(for client: ConnectionID, _ step: inout Step) {
        guard step.configuration.cameras != nil else {
            return step.refuse("no cameras are configured; write 'cameras' into the configuration", client)
        }
        guard talks.count <= Self.slotLimit else { return step.refuse("pictures are being taken; try again", client) }
        begin(.forget(client), step)
    }
}

import AlarmModel
import PhoneLink

/// Where a picture goes: to the apps first, who wait for it, then to a broker in the house, to store apps, and by mail.
extension Cameras {
    mutating func uploads(of shot: Shot, _ around: CameraSurroundings, _ step: Step) -> [PictureUpload] {
        guard let settings = step.configuration.cameras else { return [] }
        let image = settings.goToHomeAssistant == true ? image(of: shot, step) : []
        guard !around.isMetered || shot.isFirst else {
            // What stays in the house costs nothing.
            return step.configuration.phones.broker.map { HouseName.isInHouse($0.host) } ?? false ? image : []
        }
        return (settings.goToApp ? sealed(step) : []) + image + (settings.goToStoreApps ? files(of: shot, step) : [])
            + (settings.goByMail == true ? mails(of: shot, step) : [])
    }

    /// One file for all apps. Each of them gets a message of its own, which the server's quota counts, too.
    private mutating func sealed(_ step: Step) -> [PictureUpload] {
        let apps = step.book.phones.count { phone in phone.addresses.contains { $0.state == .inUse } }
        guard let upload = sealedUpload(step), apps > 0, uploadsToday + 1 + apps <= Self.uploadsADay else { return [] }
        uploadsToday += 1 + apps
        return [upload]
    }

    /// nil: there is no topic server.
    func sealedUpload(_ step: Step) -> PictureUpload? {
        guard let server = step.configuration.phones.topicServer,
            let url = try? HTTPURL("\(server.origin.description)\(server.pathPrefix)/")
        else { return nil }
        return .sealed(url, authorization: server.authorization.map { Secret($0.value) })
    }

    /// A broker has no quota of files.
    private func image(of shot: Shot, _ step: Step) -> [PictureUpload] {
        guard var broker = step.configuration.phones.broker, let topic = broker.imageTopic(ofCamera: shot.camera) else {
            return []
        }
        // Two of the same name would throw each other out.
        broker.clientID += "-picture"
        return [.broker(broker, topic: topic)]
    }

    private mutating func files(of shot: Shot, _ step: Step) -> [PictureUpload] {
        guard let server = step.configuration.phones.topicServer else { return [] }
        var uploads: [PictureUpload] = []
        for contact in step.book.contacts where contact.kind == .topic && contact.state == .inUse {
            guard shot.occasion != .entryDelay || contact.tellsArming, uploadsToday < Self.uploadsADay,
                let topic = server.topic(ofAddress: contact.value),
                let url = try? HTTPURL("\(server.origin.description)\(server.pathPrefix)/\(topic)")
            else { continue }
            uploadsToday += 1
            let language = step.book.person(contact.person).map { NoticeLanguage(code: $0.language) }
            uploads.append(
                .topic(
                    url, authorization: server.authorization.map { Secret($0.value) },
                    title: title(of: shot, language, step)))
        }
        return uploads
    }

    private mutating func mails(of shot: Shot, _ step: Step) -> [PictureUpload] {
        guard let server = step.configuration.phones.mailServer else { return [] }
        var uploads: [PictureUpload] = []
        for target in step.configuration.phones.house where target.kind == .mail && target.triggers.contains(.alarm) {
            guard shot.occasion != .entryDelay || target.triggers.contains(.armed), mailsToday < Self.mailsADay
            else { continue }
            mailsToday += 1
            uploads.append(.mail(server, to: target.value, title: title(of: shot, nil, step)))
        }
        return uploads
    }

    private func title(of shot: Shot, _ language: NoticeLanguage?, _ step: Step) -> String {
        NoticeText.pictureTitle(shot.camera, language ?? step.configuration.language ?? .english)
    }
}

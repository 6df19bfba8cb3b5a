import AlarmModel
import ApplianceCore

/// What waits for the recorder's thread is counted by what it holds. What can be thousands is counted by its number;
/// anything else is smaller than the flat sum.
extension Input {
    /// Bytes in memory, about.
    var recordedCost: Int {
        switch self {
        case .received(_, let bytes): 256 + bytes.count
        case .rows(_, .page(let page)): 256 + page.events.count * RecordedCost.event
        case .rows(_, .messages(let page)):
            256 + page.messages.count * RecordedCost.message + page.orphans.count * RecordedCost.row
        case .resolved(_, .addresses(let addresses)): 256 + addresses.count * RecordedCost.row
        case .located(_, .records(let records)): 256 + records.count * RecordedCost.row
        case .links(let links): 256 + links.count * RecordedCost.row
        case .started, .reload, .request, .computed: RecordedCost.large
        case .found, .connected, .secured, .sent, .closed, .accepted, .badRequest, .timer, .committed, .commitFailed,
            .rows, .vault, .resolved, .located, .modem, .derived, .signal:
            256
        }
    }
}

extension Effect {
    /// Bytes in memory, about.
    var recordedCost: Int {
        switch self {
        case .send(_, let bytes): 256 + bytes.count
        case .commit(let batch):
            RecordedCost.large + batch.events.count * RecordedCost.event
                + batch.outbox.count * RecordedCost.message
                + (batch.ledger.count + batch.outboxChanges.count + batch.phoneLedger.count) * RecordedCost.row
                + (batch.phoneBook?.phones.count ?? 0) * RecordedCost.message
        case .reply, .vault, .compute, .stick: RecordedCost.large
        case .resolve, .open, .openLocal, .startTLS, .pause, .resume, .close, .read, .readMessages, .derive, .locate,
            .setTimer, .watchLinks, .readLinks, .useNameServers, .modem, .notify, .log, .reboot, .healthy, .update,
            .finish:
            256
        }
    }
}

private enum RecordedCost {
    /// With its words.
    static let event = MemoryLayout<StoredEvent>.stride + 256
    static let message = MemoryLayout<StoredMessage>.stride + 512
    static let row = 256
    /// A batch's snapshot, a configuration, an answer of several lines.
    static let large = 2048
}

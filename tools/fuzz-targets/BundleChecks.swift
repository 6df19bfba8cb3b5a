import ApplianceCore
import PhoneProtocol
import SoftwareUpdate

/// A bundle means the same however it is cut; what is kept on the disk and in files is read or refused, and what was read
/// is the same when it is written again.
func checkBundle(_ bytes: [UInt8]) {
    let whole = read([bytes[...]])
    let cut = bytes.count / 2
    require(read([bytes[..<cut], bytes[cut...]]) == whole, "a bundle means the same wherever it is cut")
    require(read(bytes.indices.map { bytes[$0...$0] }) == whole, "a bundle means the same byte by byte")
    if let header = whole.header {
        require(
            (try? BundleManifest(header.manifest.bytes)) == header.manifest, "a manifest is the same when written again"
        )
        let slot = header.manifest.parts.reduce(0) { $0 + $1.bytes }
        require(whole.content.count <= slot, "parts are no longer than the manifest says")
        require(whole.error != nil || whole.content.count == slot, "a bundle without an error is whole")
    }
    require(whole.error == nil || !(whole.error.map { $0.description } ?? "").isEmpty, "a refusal has a reason")

    let block = Array((bytes + [UInt8](repeating: 0, count: SlotState.blockCount)).prefix(SlotState.blockCount))
    let data = Array(block.prefix(SlotState.blockCount - 4))
    for candidate in [block, CRC32.littleEndian(CRC32.of(data)) + data] {
        guard let state = SlotState(block: candidate) else { continue }
        require(SlotState(block: state.block()) != nil, "a state is the same when written again")
        var booted = state
        _ = booted.boot()
    }
    let room = SlotTrailer.byteCount - 4
    let text = Array((bytes + [UInt8](repeating: 0, count: room)).prefix(room))
    if let trailer = try? SlotTrailer(text + CRC32.littleEndian(CRC32.of(text))), trailer.board.utf8.count < 1000 {
        require((try? SlotTrailer(trailer.bytes)) == trailer, "a trailer is the same when written again")
    }
    if let status = UpdateStatus(file: bytes) {
        require(UpdateStatus(file: status.json.utf8) == status, "a status is the same when written again")
    }
    if let signed = try? SignedOffer(bytes) {
        require((try? SignedOffer(signed.bytes)) == signed, "an offer is the same when written again")
        require(
            (try? UpdateOffer(signed.offer.bytes)) == signed.offer, "what is offered is the same when written again")
    }
    if let request = FetchRequest(bytes) {
        require(FetchRequest(request.json.utf8) == request, "an errand is the same when written again")
    }
    if let answer = FetchAnswer(bytes) {
        require(FetchAnswer(answer.json.utf8) == answer, "an answer to an errand is the same when written again")
    }
    if let report = SlotReport(file: bytes) {
        require(SlotReport(file: report.json.utf8) == report, "a report is the same when written again")
    }
}

private struct Heard: Equatable {
    var header: BundleHeader?
    var content: [UInt8] = []
    var ends = 0
    var error: BundleError?
}

private func read(_ pieces: [ArraySlice<UInt8>]) -> Heard {
    var reader = BundleReader()
    var heard = Heard()
    var items: [BundleReader.Item] = []
    do throws(BundleError) {
        for piece in pieces { try reader.take(piece, into: &items) }
        try reader.finish()
    } catch {
        heard.error = error
    }
    for item in items {
        switch item {
        case .header(let header): heard.header = header
        case .chunk(_, let bytes): heard.content += bytes
        case .partEnded, .ended: heard.ends += 1
        }
    }
    return heard
}

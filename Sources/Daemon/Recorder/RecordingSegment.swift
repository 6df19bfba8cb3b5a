import AlarmModel
import ApplianceCore
import PhoneProtocol
import Platform

/// One segment of a recording, as it is read again.
package struct RecordingSegment {
    enum End: Equatable {
        /// With its last record, or within one that was being written.
        case whole
        /// What cannot be read, and behind how many bytes.
        case damaged(String, at: Int)
    }

    var name: String
    var run = ""
    var version = ""
    /// Of what is recorded of orders: with another one they cannot be compared.
    var recordedFormat: Int64 = 0
    /// Steps before the first of this segment.
    var step: UInt64 = 0
    /// nil: the segment does not begin with a checkpoint.
    var state: JSON?
    var frames: [RecordFrame] = []
    var end = End.whole

    /// 2: orders are hashed in the form of `EffectForm`; 1: in the names of the program of then.
    static let format: Int64 = 2
    /// Bytes of a segment that are read.
    package static let limit = 256 << 20

    init(name: String, bytes: [UInt8]) {
        self.name = name
        var index = 0
        reading: while true {
            switch RecordFrame.read(bytes, at: index) {
            case .frame(.checkpoint(let json), let next) where index == 0:
                run = json["run"]?.stringValue ?? ""
                recordedFormat = json["format"]?.integerValue ?? 0
                version = json["version"]?.stringValue ?? ""
                step = json["step"]?.integerValue.flatMap { UInt64(exactly: $0) } ?? 0
                state = json["state"]
                index = next
            case .frame(let frame, let next):
                frames.append(frame)
                index = next
            case .end: break reading
            case .damaged(let what):
                end = .damaged(what, at: index)
                break reading
            }
        }
    }

    /// - Parameter path: a segment, or a directory of them
    static func read(_ path: String) throws(SystemError) -> [RecordingSegment] {
        let names = RecordingFiles.names(in: path)
        if names.isEmpty { return [RecordingSegment(name: path, bytes: try FileReader.read(path, limit: limit))] }
        var segments: [RecordingSegment] = []
        for name in names {
            segments.append(RecordingSegment(name: name, bytes: try FileReader.read("\(path)/\(name)", limit: limit)))
        }
        return segments
    }
}

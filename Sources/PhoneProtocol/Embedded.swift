#if hasFeature(Embedded)
    package import AlarmModel

    // The stand-ins of AlarmModel, by their names (AlarmModel/Embedded.swift).
    package typealias Codable = AlarmModel.Codable
    package typealias CodingKey = AlarmModel.CodingKey
    package typealias CustomReflectable = AlarmModel.CustomReflectable
    package typealias Mirror = AlarmModel.Mirror
#endif

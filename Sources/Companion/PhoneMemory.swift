/// What a paired phone remembers. No secret; to be stored after each `PhoneAction.store`, before what follows is sent.
public struct PhoneMemory: Codable, Hashable, Sendable {
    /// Of this phone, as the box was told.
    public internal(set) var name: String
    /// Of the house, as the box tells it with the pairing and with `welcome`.
    public internal(set) var siteName: String
    /// nil until `welcome` came: the digits were not typed at the box yet.
    public internal(set) var roles: [String]?
    /// Where commands can be sent, as the box told it: JSON, an array of kinds and texts.
    public internal(set) var commandAddresses: String?
    public internal(set) var log: HouseLog
    public internal(set) var view = HouseView()
    /// The counter of the newest signed command; the next is one higher.
    public internal(set) var counter: Int64 = 0
    /// The newest, oldest first.
    public internal(set) var commands: [CommandRecord] = []
    /// The box has ended the pairing. The log stays.
    public internal(set) var hasLeft = false
    var nextCommand: Int64 = 1

    private enum CodingKeys: String, CodingKey {
        case name = "name", siteName = "siteName", roles = "roles", commandAddresses = "commandAddresses",
            log = "log", view = "view", counter = "counter", commands = "commands", hasLeft = "hasLeft",
            nextCommand = "nextCommand"
    }

    static let commandsKept = 50

    init(name: String, siteName: String, depth: Int64 = 5000) {
        self.name = name
        self.siteName = siteName
        log = HouseLog(depth: depth)
    }
}

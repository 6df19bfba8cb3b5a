/// What a paired phone remembers. No secret; to be stored after each `PhoneAction.store`, before what follows is sent.
public struct PhoneMemory: Codable, Equatable, Sendable {
    /// Of this phone, as the box was told.
    public internal(set) var name: String
    /// Of the house, as the box tells it with the pairing and with `welcome`.
    public internal(set) var siteName: String
    /// nil until `welcome` came: the digits were not typed at the box yet.
    public internal(set) var roles: [String]?
    /// Where commands can be sent, as the box told it: JSON, an array of kinds and texts.
    public internal(set) var commandAddresses: String?
    /// With which a browser subscribes at its push service (RFC 8292): base64url of 65 bytes, where the box has one.
    public internal(set) var pushKey: String?
    public internal(set) var log: HouseLog
    public internal(set) var view = HouseView()
    /// The counter of the newest signed command; the next is one higher.
    public internal(set) var counter: Int64 = 0
    /// The newest, oldest first.
    public internal(set) var commands: [CommandRecord] = []
    /// The box has ended the pairing. The log stays.
    public internal(set) var hasLeft = false
    var nextCommand: Int64 = 1
    /// New addresses of this phone that the box does not know yet.
    var untoldAddresses: [ContactAddress] = []

    private enum CodingKeys: String, CodingKey {
        case name = "name", siteName = "siteName", roles = "roles", commandAddresses = "commandAddresses",
            pushKey = "pushKey", log = "log", view = "view", counter = "counter", commands = "commands",
            hasLeft = "hasLeft", nextCommand = "nextCommand", untoldAddresses = "untoldAddresses"
    }

    static let commandsKept = 50

    #if !hasFeature(Embedded)
        /// Memory of an older app has no `untoldAddresses` and no `pushKey`.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            name = try values.decode(String.self, forKey: .name)
            siteName = try values.decode(String.self, forKey: .siteName)
            roles = try values.decodeIfPresent([String].self, forKey: .roles)
            commandAddresses = try values.decodeIfPresent(String.self, forKey: .commandAddresses)
            pushKey = try values.decodeIfPresent(String.self, forKey: .pushKey)
            log = try values.decode(HouseLog.self, forKey: .log)
            view = try values.decode(HouseView.self, forKey: .view)
            counter = try values.decode(Int64.self, forKey: .counter)
            commands = try values.decode([CommandRecord].self, forKey: .commands)
            hasLeft = try values.decode(Bool.self, forKey: .hasLeft)
            nextCommand = try values.decode(Int64.self, forKey: .nextCommand)
            untoldAddresses = try values.decodeIfPresent([ContactAddress].self, forKey: .untoldAddresses) ?? []
        }
    #endif

    init(name: String, siteName: String, depth: Int64 = 5000) {
        self.name = name
        self.siteName = siteName
        log = HouseLog(depth: depth)
    }
}

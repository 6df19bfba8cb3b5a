import PhoneProtocol

/// A house whose daemon has an account at a simulated push service, and the phones of the people in it.
final class PhoneHouse {
    let directory: TestDirectory
    let push: PushProcess
    let house: Appliance

    /// - Parameters:
    ///   - settings: changes to the configuration
    ///   - pushArguments: for `simulate push`, besides its ports
    init(
        panelArguments: [String] = [], pushArguments: [String] = [],
        _ settings: (inout Configuration, inout PhonesConfiguration) -> Void = { _, _ in }
    ) throws {
        directory = try TestDirectory()
        push = try PushProcess(in: directory, arguments: pushArguments)
        var configuration = Configuration()
        var phones = PhonesConfiguration(push)
        settings(&configuration, &phones)
        configuration.phones = phones
        house = try Appliance(configuration, panelArguments: panelArguments, in: directory)
    }

    init(directory: TestDirectory, push: PushProcess, house: Appliance) {
        self.directory = directory
        self.push = push
        self.house = house
    }

    static func running(
        panelArguments: [String] = [], pushArguments: [String] = [],
        _ settings: (inout Configuration, inout PhonesConfiguration) -> Void = { _, _ in }
    ) throws -> PhoneHouse {
        let house = try PhoneHouse(panelArguments: panelArguments, pushArguments: pushArguments, settings)
        try house.start()
        return house
    }

    func start() throws {
        try house.start()
        try house.waitUntilUp()
        try waitUntilConnected()
    }

    /// What `phones list --json` tells.
    func phones() throws -> JSON { try JSON(parsing: try house.run("phones", "list", "--json").output) }

    func waitUntilConnected(within span: Duration = .patience) throws {
        try eventually(within: span, "the connection to the push service; \(house.daemon?.report ?? "")") {
            (try? phones())?["connection"] == .string("ready") ? true : nil
        }
    }

    /// A new phone, paired with the box; the person is added.
    func phone(of person: String, roles: String? = nil) throws -> PhoneProcess {
        let phone = try PhoneProcess(in: directory, name: person, push: push)
        let added = try house.run("people", "add", person)
        guard added.status == 0 else { throw HarnessError("people add: \(added.errors)") }
        try pair(phone, with: person, roles: roles)
        return phone
    }

    /// The code and the digits with which it was done.
    @discardableResult
    func pair(
        _ phone: PhoneProcess, with person: String, roles: String? = nil
    ) throws -> (code: String, digits: String) { try house.pair(phone, with: person, roles: roles) }

    /// The panic keys at the keypad; an alarm, which lasts until somebody disarms.
    func panic() throws { try house.house("key panic") }

    /// Somebody ends the alarm at the keypad; waits until the house can be armed again.
    func calm() throws {
        let before = try house.records().count { $0.code == "650" }
        try house.house("keypad 1 disarm")
        try eventually("ready after the alarm") {
            try house.records().count { $0.code == "650" } > before ? true : nil
        }
    }

    /// The phone arms and knows it; then it disarms.
    func armAndDisarm(_ phone: PhoneProcess) throws {
        try phone.obeyed("arm")
        // What it disarms must be what it has seen.
        try phone.waitForLine("armed 652")
        try phone.obeyed("disarm")
        try phone.waitForLine("disarmed 655")
    }
}

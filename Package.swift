// swift-tools-version: 6.0
// Builds with Swift 6.0.3 (the board's runtime) and with the newest compiler; both see the same strict settings.
import PackageDescription

#if compiler(>=6.1)
    let memberImports: [SwiftSetting] = [.enableUpcomingFeature("MemberImportVisibility")]
#else
    let memberImports: [SwiftSetting] = []
#endif

// Set by every command in tools: warnings are errors. That needs flags that SwiftPM calls unsafe, and an app cannot depend
// by version on a package that has such flags (docs/CONTRIBUTING.md, "Companion"). A plain 'swift build' has none.
let isStrict = Context.environment["HOWALARMING_STRICT"] != nil

// Set by the commands that run many seeds of the simulated world: debug builds of the modules that the world runs through are
// optimised. The world then runs seven times as fast, and the build takes more than twice as long.
let isOptimised = Context.environment["HOWALARMING_OPTIMISE"] != nil

// Names of test targets, to build no others while one works on one module: an edit is tried in a fraction of the time.
let testTargets = Context.environment["HOWALARMING_TESTS"]?.split(separator: " ").map(String.init)

// Set by tools/fuzz for a build under libFuzzer. Any other build has the fuzz targets with a loop of our own.
let isUnderLibFuzzer = Context.environment["HOWALARMING_LIBFUZZER"] != nil
let sanitizers = ["-sanitize=fuzzer,address", "-parse-as-library"]
let fuzzing: [SwiftSetting] = isUnderLibFuzzer ? [.unsafeFlags(sanitizers), .define("LIBFUZZER")] : []

// Otherwise the first use of each generic type looks its protocols up by name, among 12 000: a sixth of a start's time.
let quickStart = SwiftSetting.unsafeFlags(
    ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"], .when(configuration: .release))

let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        // Deliberate bugs for the simulation to find; never in a release.
        .define("SABOTAGE", .when(configuration: .debug)),
    ] + memberImports + fuzzing + (isStrict ? [.unsafeFlags(["-warnings-as-errors"]), quickStart] : [])

let quick: [SwiftSetting] = strict + (isOptimised ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : [])

// The fuzz targets read with little of these or nothing: they need not be fast there, and optimising them takes minutes.
let linked: [SwiftSetting] = isUnderLibFuzzer ? [.unsafeFlags(["-Onone"])] : []

func library(_ name: String, _ dependencies: [Target.Dependency] = [], _ settings: [SwiftSetting] = strict) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> [Target] {
    guard testTargets?.contains(name) ?? true else { return [] }
    return [.testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)]
}

let allTests =
    tests("AlarmModelTests", ["AlarmModel"])
    + tests("PhoneProtocolTests", ["AlarmModel", "PhoneProtocol"])
    + tests("PanelLinkTests", ["AlarmModel", "PanelLink"], exclude: ["Transcripts"])
    + tests("PhoneLinkTests", ["AlarmModel", "PhoneProtocol", "PhoneLink"])
    + tests(
        "CompanionTests", ["AlarmModel", "PhoneProtocol", "Companion", "PortableCrypto", "AppCore", "Platform"])
    + tests("UplinksTests", ["AlarmModel", "Uplinks"])
    + tests("SoftwareUpdateTests", ["AlarmModel", "PhoneProtocol", "SoftwareUpdate", "Platform"])
    + tests(
        "ApplianceCoreTests",
        [
            "AlarmModel", "PhoneProtocol", "PanelLink", "PhoneLink", "Companion", "Uplinks", "ApplianceCore",
            "Platform", "Simulators",
        ])
    + tests(
        "EventStoreTests",
        ["AlarmModel", "PhoneProtocol", "EventStore", "Simulators", "Simulation", "CSQLite", "CFaultyDisk"])
    + tests(
        "PlatformTests", ["AlarmModel", "PhoneProtocol", "Uplinks", "Platform"], exclude: ["SystemBus/Programs"])
    + tests(
        "SimulationTests",
        [
            "AlarmModel", "PhoneProtocol", "PanelLink", "PhoneLink", "Companion", "ApplianceCore", "Simulators",
            "Simulation",
        ])
    + tests(
        "DaemonTests",
        [
            "AlarmModel", "PhoneProtocol", "PanelLink", "PhoneLink", "Companion", "Uplinks", "SoftwareUpdate",
            "ApplianceCore",
            "EventStore", "Platform", "Simulators", "Simulation", "Daemon", "Laboratory",
            "CommandKit", "YAMLConfiguration", "Reports", "Card", "SerialConsole", "Subcommands", "CFaultyCalls",
        ],
        exclude: ["Configurations", "Forms/Kept"])
    + tests("TransportTests", ["AlarmModel", "PhoneProtocol", "PhoneLink", "Platform", "Simulators"])
    + tests(
        "EndToEndTests", ["AlarmModel", "PhoneProtocol", "EventStore", "Companion", "Platform"],
        exclude: ["CommandLine/kept.txt", "Prosody"])

let package = Package(
    name: "HowAlarming",
    // For Companion alone, which needs no Linux. Nobody has tried it on these systems.
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [
        .executable(name: "howalarming", targets: ["howalarming"]),
        .executable(name: "howalarming-lab", targets: ["howalarming-lab"]),
        // The phone's half, for an app: no I/O and no Linux calls.
        .library(name: "Companion", targets: ["Companion", "PhoneProtocol", "AlarmModel"]),
    ],
    targets: [
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .target(name: "CLinux"),
        library("AlarmModel", [], quick),
        library("PhoneProtocol", ["AlarmModel"], quick),
        library("PanelLink", ["AlarmModel"], quick),
        library("PhoneLink", ["AlarmModel", "PhoneProtocol"], quick),
        library("Companion", ["AlarmModel", "PhoneProtocol"], quick + linked),
        // What the web app's core is made of besides (tools/lib/build-core); no product links them.
        library("PortableCrypto", ["PhoneProtocol"], quick),
        library("AppCore", ["PhoneProtocol", "Companion"], quick),
        library("Uplinks", ["AlarmModel"], quick + linked),
        library("SoftwareUpdate", ["AlarmModel", "PhoneProtocol"]),
        library(
            "ApplianceCore",
            ["AlarmModel", "PhoneProtocol", "PanelLink", "PhoneLink", "Uplinks", "SoftwareUpdate"], quick + linked),
        library("EventStore", ["AlarmModel", "PhoneProtocol", "CSQLite"]),
        library("Platform", ["AlarmModel", "PhoneProtocol", "CLinux", "COpenSSL", "CAres", "CSystemd"]),
        library(
            "Simulators", ["AlarmModel", "PhoneProtocol", "PanelLink", "PhoneLink", "Companion", "ApplianceCore"],
            quick + linked),
        library(
            "Simulation",
            [
                "AlarmModel", "PhoneProtocol", "PanelLink", "PhoneLink", "Companion", "Uplinks", "ApplianceCore",
                "Simulators",
            ], quick + linked),
        library("CommandKit", ["AlarmModel", "PhoneProtocol"]),
        library(
            "YAMLConfiguration",
            ["AlarmModel", "PanelLink", "PhoneLink", "Uplinks", "ApplianceCore", "CommandKit", "CYAML"], quick),
        library(
            "Reports",
            [
                "AlarmModel", "PhoneProtocol", "PanelLink", "PhoneLink", "Uplinks", "ApplianceCore", "EventStore",
                "Platform", "CommandKit",
            ]),
        library(
            "Card",
            [
                "AlarmModel", "PhoneProtocol", "SoftwareUpdate", "ApplianceCore", "Platform", "CommandKit",
                "YAMLConfiguration", "Reports",
            ]),
        library(
            "Daemon",
            [
                "AlarmModel", "PhoneProtocol", "PanelLink", "PhoneLink", "Uplinks", "SoftwareUpdate", "ApplianceCore",
                "EventStore", "Platform", "CommandKit", "YAMLConfiguration", "Reports", "Card",
            ]),
        library(
            "SerialConsole",
            [
                "AlarmModel", "PhoneProtocol", "PanelLink", "Uplinks", "SoftwareUpdate", "ApplianceCore", "EventStore",
                "Platform", "CommandKit", "Reports", "Card",
            ]),
        library(
            "Subcommands",
            [
                "AlarmModel", "PhoneProtocol", "PanelLink", "PhoneLink", "Uplinks", "SoftwareUpdate", "ApplianceCore",
                "EventStore", "Platform", "CommandKit", "YAMLConfiguration", "Reports", "Card", "Daemon",
                "SerialConsole",
            ]),
        // What tries the box out; the firmware links none of it.
        library(
            "Laboratory",
            [
                "AlarmModel", "PhoneProtocol", "PanelLink", "PhoneLink", "Companion", "ApplianceCore", "EventStore",
                "Platform", "Simulators", "CommandKit", "Reports",
            ]),
        .executableTarget(name: "howalarming", dependencies: ["Subcommands"], swiftSettings: strict),
        // The laboratory starts the firmware: the dependency makes one build of both.
        .executableTarget(
            name: "howalarming-lab", dependencies: ["Laboratory", "howalarming"], swiftSettings: strict),
        .executableTarget(
            name: "simulate", dependencies: ["AlarmModel", "PhoneLink", "Simulation", "CommandKit"],
            swiftSettings: strict),
        .executableTarget(name: "bench", dependencies: ["PanelLink", "Simulators"], swiftSettings: strict),
        .executableTarget(
            name: "FuzzTargets",
            dependencies: [
                "AlarmModel", "PhoneProtocol", "PanelLink", "PhoneLink", "SoftwareUpdate", "ApplianceCore", "Platform",
                "YAMLConfiguration", "SerialConsole",
            ],
            path: "tools/fuzz-targets", swiftSettings: strict,
            linkerSettings: isUnderLibFuzzer ? [.unsafeFlags(sanitizers + ["-use-ld=lld"])] : []),
        // Only tests use them; no product.
        .target(name: "CFaultyDisk", dependencies: ["CSQLite"], path: "Tests/CFaultyDisk"),
        .target(name: "CFaultyCalls", path: "Tests/CFaultyCalls"),
    ] + allTests
)

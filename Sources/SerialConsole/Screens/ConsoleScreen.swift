/// The screens of a console that only show something.
enum ConsoleScreen: Int, Equatable, Sendable, CaseIterable {
    case overview = 1
    case events, links, panel, phones, network, software, test, zones, timeline

    /// The screen of a digit; 0 comes after 9.
    init?(digit: Int) { self.init(rawValue: digit == 0 ? 10 : digit) }

    var digit: Int { rawValue % 10 }

    /// For the line of keys.
    var shortTitle: String {
        switch self {
        case .overview: "Home"
        case .network: "Net"
        case .software: "Soft"
        case .zones: "Zone"
        case .timeline: "Day"
        case .events, .links, .panel, .phones, .test: title
        }
    }

    var title: String {
        switch self {
        case .overview: "Overview"
        case .events: "Events"
        case .links: "Links"
        case .panel: "Panel"
        case .phones: "Phones"
        case .network: "Network"
        case .software: "Software"
        case .test: "Test"
        case .zones: "Zones"
        case .timeline: "The last day"
        }
    }

    /// Its lines for a width, from what is known. The events and the trace grow at their end.
    func lines(_ view: ConsoleView, width: Int) -> [ConsoleLine] {
        switch self {
        case .overview: OverviewScreen(view: view, width: width).lines
        case .events: EventsScreen(view: view, width: width).lines
        case .links: LinksScreen(view: view, width: width).lines
        case .panel: PanelScreen(view: view, width: width).lines
        case .phones: PhonesScreen(view: view, width: width).lines
        case .network: NetworkScreen(view: view, width: width).lines
        case .software: SoftwareScreen(view: view, width: width).lines
        case .test: SelfTestScreen(view: view, width: width).lines
        case .zones: ZonesScreen(view: view, width: width).lines
        case .timeline: TimelineScreen(view: view, width: width).lines
        }
    }

    /// Shown from its end, unless somebody scrolled.
    var showsEnd: Bool {
        switch self {
        case .events, .panel: true
        case .overview, .links, .phones, .network, .software, .test, .zones, .timeline: false
        }
    }

    var next: ConsoleScreen { ConsoleScreen(rawValue: rawValue + 1) ?? .overview }
    var previous: ConsoleScreen { ConsoleScreen(rawValue: rawValue - 1) ?? .timeline }
}

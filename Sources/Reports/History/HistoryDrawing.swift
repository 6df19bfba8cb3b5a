import AlarmModel

/// The pictures of a history, as SVG within the page.
struct HistoryDrawing {
    let report: HistoryReport
    private let words: HistoryWords

    init(_ report: HistoryReport) {
        self.report = report
        words = HistoryWords(report: report)
    }

    // MARK: Days

    private static let labelWidth = 92
    private static let slotWidth = 8
    private static let top = 20
    /// With more days than this each is a thin line, and months are named instead.
    private static let mostTallDays = 62

    /// A line for each day, a day's 24 hours from left to right.
    func days(_ lane: HistoryReport.Lane, into page: inout Markup) {
        let days = lane.days
        let isTall = days.count <= Self.mostTallDays
        let height = isTall ? 12 : 4
        let width = Self.labelWidth + HistoryDays.slotsADay * Self.slotWidth + 16
        page.tag("<svg viewBox=\"0 0 \(width) \(Self.top + days.count * height + 6)\" role=\"img\">\n")
        page.element("<title>", "\(words.title(lane)), day by day", "</title>\n")
        for hour in stride(from: 0, through: 24, by: 3) {
            let x = Self.labelWidth + hour * 4 * Self.slotWidth
            page.element("<text class=\"m\" x=\"\(x)\" y=\"12\">", hour.padded(), "</text>\n")
            page.path("<path class=\"grid\"", [.init(x: x, y: Self.top, width: 1, height: days.count * height)])
        }
        for day in 0..<days.count {
            let date = CivilTime(secondsSince1970: (days.first + Int64(day)) * 86_400, offset: 0)
            guard isTall || date.day == 1 || day == 0 && date.day < 25 else { continue }
            let y = Self.top + day * height + (isTall ? 10 : 6)
            page.element("<text x=\"0\" y=\"\(y)\">", date.date, "</text>\n")
        }
        func row(_ day: Int) -> (y: Int, height: Int) { (Self.top + day * height, isTall ? height - 2 : height) }
        page.path("<path class=\"armed\"", runs(days, row) { $0.state == .armed })
        page.path("<path class=\"unknown\"", runs(days, row) { $0.state == .unknown })
        // Marks lie over it, in the lower half of the line where there is room.
        func low(_ day: Int) -> (y: Int, height: Int) {
            isTall ? (Self.top + day * height + 5, 5) : (Self.top + day * height + 1, 2)
        }
        page.path("<path class=\"few\"", runs(days, low) { (1...2).contains($0.openings) })
        page.path("<path class=\"many\"", runs(days, low) { $0.openings > 2 })
        page.path("<path class=\"fault\"", runs(days, row) { $0.hasFault && !$0.hasAlarm })
        page.path("<path class=\"alarm\"", runs(days, row) { $0.hasAlarm })
        page.tag("</svg>\n")
    }

    private typealias Slot = (state: HistoryDays.State, hasAlarm: Bool, hasFault: Bool, openings: Int)

    /// Neighbours of which the same is so are one rectangle.
    private func runs(
        _ days: HistoryDays, _ place: (Int) -> (y: Int, height: Int), _ isSo: (Slot) -> Bool
    ) -> [Markup.Rectangle] {
        var found: [Markup.Rectangle] = []
        for day in 0..<days.count {
            var begin: Int?
            for slot in 0...HistoryDays.slotsADay {
                let holds = slot < HistoryDays.slotsADay && isSo(days.slot(day, slot))
                if holds, begin == nil { begin = slot }
                guard !holds, let first = begin else { continue }
                let (y, height) = place(day)
                found.append(
                    .init(
                        x: Self.labelWidth + first * Self.slotWidth, y: y, width: (slot - first) * Self.slotWidth,
                        height: height))
                begin = nil
            }
        }
        return found
    }

    // MARK: Hours

    private static let zoneWidth = 210
    private static let hourWidth = 24
    private static let zoneHeight = 18
    static let shades = 5

    /// A line for each zone: how often it opened in each hour of the day.
    func hours(into page: inout Markup) {
        let zones = report.zones
        let most = max(1, zones.flatMap(\.byHour).max() ?? 0)
        let width = Self.zoneWidth + 24 * Self.hourWidth + 70
        page.tag("<svg viewBox=\"0 0 \(width) \(Self.top + zones.count * Self.zoneHeight + 4)\" role=\"img\">\n")
        page.element("<title>", "How often each zone opened, by the hour of the day", "</title>\n")
        for hour in stride(from: 0, to: 24, by: 3) {
            let x = Self.zoneWidth + hour * Self.hourWidth
            page.element("<text x=\"\(x)\" y=\"12\">", hour.padded(), "</text>\n")
        }
        var cells = Array(repeating: [Markup.Rectangle](), count: Self.shades)
        for (row, zone) in zones.enumerated() {
            let y = Self.top + row * Self.zoneHeight
            page.element("<text x=\"0\" y=\"\(y + 13)\">", fitted(words.name(zone)), "</text>\n")
            page.element(
                "<text class=\"e\" x=\"\(width)\" y=\"\(y + 13)\">", "\(zone.opened)", "</text>\n")
            for (hour, count) in zone.byHour.enumerated() where count > 0 {
                let shade = (count * Self.shades - 1) / most
                cells[shade].append(
                    .init(
                        x: Self.zoneWidth + hour * Self.hourWidth, y: y, width: Self.hourWidth - 2,
                        height: Self.zoneHeight - 2))
            }
        }
        for (shade, rectangles) in cells.enumerated() { page.path("<path class=\"h\(shade)\"", rectangles) }
        page.tag("</svg>\n")
    }

    private func fitted(_ name: String) -> String { name.count <= 28 ? name : String(name.prefix(27)) + "…" }
}

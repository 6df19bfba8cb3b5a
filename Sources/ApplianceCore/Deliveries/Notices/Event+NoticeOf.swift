package import AlarmModel
import PanelLink
import PhoneLink

extension Event {
    /// Subject of the notice that people get about the event, after all that the notice's words depend on.
    ///
    /// - Parameters: as in `subject`
    package func noticeSubject(_ names: SiteNames, partitions: [PartitionState]) -> NoticeSubject {
        NoticeText(siteName: "", names: names, timeZone: .utc, language: .english)
            .notice(self, partitions: partitions).subject
    }
}

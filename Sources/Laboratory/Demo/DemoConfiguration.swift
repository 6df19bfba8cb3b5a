/// The configuration that the demo's daemon runs with.
enum DemoConfiguration {
    static let siteName = "Mill Lane 4"

    /// The account at the simulated push service.
    static let sender = "100200300"
    static let key = "key-of-the-demo-account"

    /// - Parameters:
    ///   - port: of the panel's module
    ///   - push: of the push service
    ///   - topics: of the topic server
    ///   - authorityFile: the push service's authority, beside this file
    ///   - topicAuthorityFile: the topic server's
    ///   - browsers: the port of the browsers' push service, and its authority; nil: there is none
    ///   - topicHost: where the topic server is; a pairing's code names it
    static func text(
        port: UInt16, push: UInt16, topics: UInt16, authorityFile: String, topicAuthorityFile: String,
        topicHost: String, browsers: (port: UInt16, authorityFile: String)? = nil, pace: DemoPace
    ) -> String {
        """
        # Written by 'howalarming-lab demo' for a simulated panel and push service on this machine.
        #
        # Polls, deadlines and waits are much shorter here than anybody should have them in life, so that a day goes by
        # in a minute. For a real panel start from howalarming.example.yaml instead: leave 'poll_interval' and 'timing'
        # out, and set 'host', 'password' and 'code_master'. 'phones.fcm', 'phones.timing' and all of 'ntfy' but the word stay out, too.

        site:
          name: \(siteName)
          time_zone: UTC

        panel:
          host: 127.0.0.1
          port: \(port)
          password: user
          code_master: '1234'
          # Here the panel's clock tells the hour of the demo's day.
          set_clock: false
          poll_interval: \(DemoPace.seconds(pace.pollInterval))      # 20 in life
          timing:
            answer_deadline: \(DemoPace.seconds(pace.answerDeadline))      # 5 in life
            login_deadline: 2         # 12 in life
            reconnect_minimum: \(DemoPace.seconds(pace.reconnect))    # 1s in life
            reconnect_maximum: 1      # 60s in life
            slot_held_wait: 1         # 30s in life

        alert_gcm:
          sender_id: '\(sender)'
          api_key: \(key)

        phones:
          fcm: {host: localhost, port: \(push), ca_file: '\(authorityFile)'}
          timing:
            reconnect_minimum: 50ms   # 1s in life
            reconnect_maximum: 400ms  # 60s in life
            reconnect_urgent: 200ms   # 5s in life

        # A second channel to people: alarms go out by both at once.
        ntfy:
          server: 'https://\(topicHost):\(topics)'
          ca_file: '\(topicAuthorityFile)'
        \(browsers.map { section($0.port, $0.authorityFile) } ?? "")
        partitions:
          1: Ground floor
          2: Workshop

        zones:
          1: {name: Front door, partition: 1}
          2: {name: Back door, partition: 1}
          3: {name: Kitchen window, partition: 1}
          4: {name: Living room motion, partition: 1}
          5: {name: Study motion, partition: 1}
          6: {name: Hall motion, partition: 1}
          7: {name: Hall smoke, partition: 1, fire: true}
          8: {name: Workshop door, partition: 2}
          9: {name: Workshop motion, partition: 2}
          10: {name: Workshop smoke, partition: 2, fire: true}

        users:
          1: Anna
          2: Ben
          40: Master code

        """
    }

    private static func section(_ port: UInt16, _ authorityFile: String) -> String {
        """

        # Notices of browsers. Outside a laboratory without 'hosts' and 'ca_file', and with 'url' in 'app'.
        web_push:
          contact: mailto:demo@example.org
          hosts: ['localhost:\(port)']
          ca_file: '\(authorityFile)'

        """
    }
}

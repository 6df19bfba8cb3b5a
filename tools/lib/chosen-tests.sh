# shellcheck shell=bash
# For: a choice of the tests that are built. Sourced, by the long runs after packages.sh.
#
#   chosen_tests ARGUMENT…   'swift test' with these; a choice of which no test ran is a failure, not a success
#   PEER_TESTS               those with real peers and the real binary, as a pattern of their names
#   EXHAUSTIVE_TESTS         of the unit tests those that try out thousands of cases or let days of a house pass: a test belongs
#                            there if it takes more than about five seconds of a processor, not optimised
#   SHORT_PEER_TESTS, SHORT_KILL_TESTS   of those with real peers one alarm and one command by each channel, and kill -9

# shellcheck disable=SC2034  # used by the scripts that source this file
PEER_TESTS='^(EndToEndTests|TransportTests)\.'
# shellcheck disable=SC2034
SHORT_PEER_TESTS=$(
    tr -d ' \n' <<'END'
^(
EndToEndTests\.(BadInputTests|ChatTests|HouseAddressTests|MonthlyHistoryTests|CommandLineTests|CardMountTests)|
EndToEndTests\.(UnitFileTests|FirewallTests|NtfyTests/pairingAnAlarmWithButtonsAndEachButtonActsOnce)|
EndToEndTests\.(NtfyTests/armingByAButton|LegacyPhoneTests/theAppForAndroidHearsAtItsTopic)|
EndToEndTests\.(ModemTests/anAlarmThatNobodyConfirmsRings|ModemTests/theTextAboutAnAlarmIsAnswered)|
EndToEndTests\.(ProsodyTests/theDaemonLogsInAtProsody|ProsodyTests/slixmppLogsInAtOurPushSimulator)|
EndToEndTests\.(ConsoleTests/itShowsTheHouse|ConsoleTests/thePINIsSetAtFirst)|
EndToEndTests\.(CommandTests/armingWithAnOpenZoneIsRefusedWithStatus1AndNamesTheZone)|
EndToEndTests\.(CommandTests/aWrongMasterCodeFailsWithStatus1AndSaysWhereItStands)|
EndToEndTests\.(CommandTests/withoutADaemonACommandEndsWith69|CommandTests/wrongUsageEndsWith64)|
EndToEndTests\.(LifeTests/sigtermClosesThePanelSession|LifeTests/sighupTakesNewNamesAndSaysSo)|
EndToEndTests\.(LifeTests/aSecondDaemonOnTheStateDirectoryIsRefusedAndTold)|
EndToEndTests\.(LifeTests/onlyTheOwnerCanReachTheControlSocket)|
EndToEndTests\.(SecretTests/thePasswordAndTheCodesAppearNowhereButInTheConfiguration)|
TransportTests\.(MosquittoTests/eventsArriveStatesAreKeptCommandsComeUpOverTLSAndPlain)|
TransportTests\.(MosquittoTests/aCommandThatTheBrokerHasKeptIsNotObeyed)|
TransportTests\.(BeanstalkServerTests/eventsArriveInTheirTubesAsTheOriginalsProgramsReadThem)|
TransportTests\.(BeanstalkServerTests/commandsComeOnceAndAreDeleted)|
TransportTests\.(FCMOnSocketsTests/anAlarmIsTakenAPhonesMessageComesBackAndIsRemovedOnce)|
TransportTests\.(FCMOnSocketsTests/pyJWTTakesWhatWasSignedForTheToken|MailTests/aMessageArrivesAsItWasWritten)|
TransportTests\.(URLTests/eventsArriveAsTheyAre|WebPushTests|XMPPAccountTests/itLogsInByTLSAtOnceAndBySTARTTLS)|
TransportTests\.(DnsmasqTests/theAccountLogsInWhereTheDomainsRecordsSay)
)
END
)
# Beside these, in a process of their own.
# shellcheck disable=SC2034
SHORT_KILL_TESTS=$(
    tr -d ' \n' <<'END'
^(
EndToEndTests\.(Kill9Tests|ChannelsKill9Tests|PictureTests|ReceiverTests|CallTests)|
EndToEndTests\.(HomeAssistantTests/theHouseStandsAtTheBrokerForWhoeverComesLater|HomeAssistantTests/armingNeedsNoCode)|
EndToEndTests\.(PhoneRoundTripTests/aPhoneIsPairedWithSixDigits)
)
END
)
# shellcheck disable=SC2034
EXHAUSTIVE_TESTS=$(
    tr -d ' \n' <<'END'
^(
SimulationTests\.(PanelModuleTests/theSameSeedAndTheSameInputsGiveTheSameActions|WorldTests|KeptScriptTests|LinkWorldTests|ModemWorldTests|CommandWorldTests|ShrinkingTests|OutageTests|TwinHouseTests)|
EventStoreTests\.(PowerCutTests|FaultyDiskTests|DiskRefusalTests|SalvageCutTests|DamageTests|TwoStoresTests)|
DaemonTests\.(ConfigurationRobustnessTests|RecorderWorkTests|ConsoleOutputTests/inNoSecondMoreIsWrittenThan115200BaudCarry|KeptFormTests/everyPropertyOfWhatIsStoredAndRecordedIsInItsForm)|
DaemonTests\.(ConsoleOrderTests/randomKeysNeverGiveAnOrderWithoutThePINAndAYes|ConfigurationSecretTests/noProblemEverShowsTheValueOfASecret|VirtualPhoneTests/aBurstOfEventsIsStoredAFewTimes|InputMaskTests/noTokenOfAPhoneIsInAnyRecordedInput|HistoryReadingTests/aYearOfABusyHouse)|
DaemonTests\.(CardPowerCutTests|UpdateCommandTests)|
ApplianceCoreTests\.(LinkCutTests|PhonesAttackTests|OutboxRandomTests|OutboxBacklogTests|PhonesDeliveryTests/twoThousandAlarmsAtOnceAreAllAccepted|PhonesPairingTests/tenThousandFramesOfRubbishEndIt)|
ApplianceCoreTests\.(ReminderTests|ScheduleTests|AbsenceTests|TestAlarmTests|UpdatesTests)|
ApplianceCoreTests\.(LinksTests/aServerThatProvesItselfByNoLinkIsSeldomTriedByAnother|OwnLanguageTests/bothLanguagesKeepTo160Letters)|
ApplianceCoreTests\.(CamerasTests/aDaysStormTakesNoMoreThanItsBudget|CamerasTests/somebodyAtTheBoxDeletesAllPictures)|
CompanionTests\.(LogRebuildTests/itEqualsTheJournalAfterRandomLoss|AppLifeTests)|
SoftwareUpdateTests\.SlotInstallerTests/powerCutAtAnyStep|
PanelLinkTests\.TranscriptTests/aChangedByteCostsItsOwnLineAtMost|
PlatformTests\.(KeyVaultTests/attack3CodesDependOnTheBoxsOwnFreshKey10000GuessesHit|LinkWatchTests|StreamTests/muchDataArrivesWholeAndInOrderWhileTheReaderPausesAgain|SecureStreamEndTests/aHundredConnections)|
PhoneLinkTests\.(RobustnessTests|ExpatTests)|
AlarmModelTests\.TimeZoneRulesTests/offsetsAgreeWithPythonsZoneinfoFrom1970To2060|
UplinksTests\.FailoverSeedTests
)
END
)

chosen_tests() {
    local said status=0
    said=$(mktemp)
    swift test --skip-build --disable-xctest "$@" 2>&1 | tee "$said" || status=$?
    if ((status == 0)) && ! grep -qE 'Test run with [1-9][0-9]* tests? ' "$said"; then
        say "No test ran: is there still one of that name? $*"
        status=1
    fi
    rm -f "$said"
    return "$status"
}

"""Each check finds what it is for, in histories that were forged for it, and is content with a good one."""
import copy
import os
import unittest

import checker
from fates import alarm_fates
from history import Alarm, Arrival, Command, Evidence, History, PhoneLog, Row

RAW, MESSAGE = "6011017", "Alarm: zone 17, partition 1 Ground floor"
POLLED = [(time, line) for at in (101.0, 104.0, 107.0) for time, line in ((at, "> 000"), (at + 0.1, "< 500000"))]


def good():
    """An alarm that all phones had, two commands that were done, and one that was refused."""
    phones = [PhoneLog("anna", 50.0, None, [("1.1", "601", MESSAGE)], 0), PhoneLog("ben", 50.0, None, [], 0),
              PhoneLog("thief", 50.0, 60.0)]
    alarm = Alarm(RAW, 100.0)
    return Evidence(
        alarms=[alarm], final_alarm=alarm,
        commands=[Command("anna", "output 1", 109.0, 1, "ok", "", 111.0),
                  Command("ben", "disarm", 109.0, 1, "denied", "role", 110.0),
                  Command("thief", "output 4", 109.0, 1, "pending"),
                  Command("ben", "output 2", 89.0, 7, "ok", "", 91.0)],
        arrivals=[Arrival("anna", 100.2, "1.1", None, "601", MESSAGE),
                  Arrival("ben", 100.3, "1.1", None, "601", MESSAGE)],
        phones=phones, rows=[Row(1, 100.1, "601", RAW, MESSAGE, "u-1")],
        trace=[(90.0, "> 02012"), (90.1, "< 500020"), (98.0, "# client 1 connected"), (99.0, "< 5051"),
               (100.0, f"< {RAW}"), *POLLED, (110.0, "> 02011"), (110.1, "< 500020")],
        faults=[(102.0, "link down", 2.0, "ok"), (103.0, "push drains", 0.0, "not made: nobody answered")], planned=2,
        integrity="ok", replay=(0, "812 steps of 2 segments: the same orders as then"), settled_after=1.0)


class Forged(unittest.TestCase):
    def setUp(self):
        self.evidence = good()

    def found(self):
        return {verdict.name for verdict in checker.judge(self.evidence) if not verdict.held}

    def assert_found_by(self, *checks):
        names = {check(copy.deepcopy(good())).name for check in checks}
        self.assertEqual(self.found(), names)

    def add_alarm(self):
        """A whole one, after everything else."""
        raw, seq = "6011044", len(self.evidence.rows) + 1
        self.evidence.alarms.append(Alarm(raw, 200.0))
        self.evidence.final_alarm = self.evidence.alarms[-1]
        self.evidence.trace += [(190.0, "# client 2 connected"), (191.0, "< 5051"), (200.0, f"< {raw}"),
                                *((time + 100, line) for time, line in POLLED)]
        self.evidence.rows.append(Row(seq, 200.1, "601", raw, "Alarm: zone 44", None))
        self.evidence.arrivals += [
            Arrival(phone, 200.3, f"1.{seq}", None, "601", "Alarm: zone 44") for phone in ("anna", "ben")]

    def test_a_good_history_is_good(self):
        self.assertEqual(self.found(), set())
        self.assertEqual(alarm_fates(self.evidence.alarms, self.evidence.trace), ["ok"])

    def test_an_alarm_that_one_phone_never_had(self):
        del self.evidence.arrivals[1]
        self.assert_found_by(checker.check_delivery)

    def test_an_alarm_that_is_only_in_the_log_of_a_phone_has_arrived(self):
        del self.evidence.arrivals[0]
        self.assertEqual(self.found(), set())

    def test_an_alarm_that_nobody_stored(self):
        self.evidence.rows, self.evidence.arrivals, self.evidence.phones[0].rows = [], [], []
        self.add_alarm()
        self.assert_found_by(checker.check_journal)

    def test_the_second_of_two_equal_alarms_needs_a_row_of_its_own(self):
        self.evidence.alarms.append(Alarm(RAW, 112.0))
        self.evidence.trace += [(112.0, f"< {RAW}"), *((time + 12, line) for time, line in POLLED)]
        self.assert_found_by(checker.check_journal)

    def test_an_alarm_into_a_session_that_broke_is_unknown(self):
        self.evidence.trace[6:] = [(104.0, "# client 1: reset"), *POLLED]
        del self.evidence.commands[0]
        self.evidence.rows, self.evidence.arrivals, self.evidence.phones[0].rows = [], [], []
        self.add_alarm()
        self.assertEqual(alarm_fates(self.evidence.alarms, self.evidence.trace), ["unknown", "ok"])
        self.assertEqual(self.found(), set())

    def test_an_alarm_before_the_login_is_none_of_the_session(self):
        trace = [(98.0, "# client 1 connected"), (100.0, f"< {RAW}"), (101.0, "< 5051"), *POLLED]
        self.assertEqual(alarm_fates(self.evidence.alarms, trace), ["failed"])

    def test_a_poll_and_its_repetition_prove_nothing(self):
        # Both come out of a black hole at once; the alarm never came in.
        trace = [*self.evidence.trace[:5], (108.0, "> 000"), (108.0, "> 000"), (108.1, "# client 1: closed")]
        self.assertEqual(alarm_fates(self.evidence.alarms, trace), ["unknown"])

    def test_an_alarm_without_a_session_failed(self):
        self.assertEqual(alarm_fates([Alarm("6011018", 100.0)], self.evidence.trace), ["failed"])

    def test_a_phone_that_came_later_need_not_have_it(self):
        self.evidence.phones[1].since = 105.0
        del self.evidence.arrivals[1]
        self.assertEqual(self.found(), set())

    def test_a_command_twice(self):
        self.evidence.trace += [(110.5, "> 02011"), (110.6, "< 500020")]
        self.assert_found_by(checker.check_at_most_once)

    def test_a_command_twice_without_an_acknowledgement(self):
        self.evidence.trace += [(110.5, "> 02011")]
        self.assert_found_by(checker.check_at_most_once)

    def test_a_command_that_was_refused_and_done(self):
        self.evidence.commands[0].result, self.evidence.commands[0].why = "denied", "rate"
        self.assert_found_by(checker.check_at_most_once)

    def test_a_command_that_failed_and_was_done(self):
        self.evidence.commands[0].result = "failed"
        self.assert_found_by(checker.check_at_most_once)

    def test_a_command_that_failed_may_have_been_sent_without_an_answer(self):
        self.evidence.commands[0].result = "failed"
        self.evidence.trace.pop()
        self.assertEqual(self.found(), set())

    def test_an_unknown_command_may_have_been_done_or_not(self):
        self.evidence.commands[0].result = "timeout"
        self.assertEqual(self.found(), set())
        del self.evidence.trace[-2:]
        self.assertEqual(self.found(), set())

    def test_a_command_that_took_effect_after_it_was_answered(self):
        self.evidence.trace[-2:] = [(112.0, "> 02011"), (112.1, "< 500020")]
        self.assert_found_by(checker.check_at_most_once, checker.check_ok_happened)

    def test_ok_without_effect(self):
        del self.evidence.trace[-2:]
        self.assert_found_by(checker.check_ok_happened)

    def test_ok_where_the_panel_refused(self):
        self.evidence.trace[-1] = (110.1, "< 502024")
        self.assert_found_by(checker.check_ok_happened)

    def test_two_that_were_told_ok_and_one_effect(self):
        self.evidence.commands.append(Command("ben", "output 1", 109.5, 2, "ok", "", 111.0))
        self.assert_found_by(checker.check_ok_happened)

    def test_disarming_what_is_disarmed_is_ok(self):
        self.evidence.commands.append(Command("ben", "disarm", 120.0, 2, "ok", "", 121.0))
        self.evidence.trace += [(120.5, "> 0401****"), (120.6, "< 502023")]
        self.assertEqual(self.found(), set())

    def test_matching_gives_each_effect_to_the_command_that_needs_it(self):
        # The unknown one could take either effect; only the later one is left for it.
        self.evidence.commands.insert(0, Command("ben", "output 1", 108.0, 9, "timeout"))
        self.evidence.trace += [(115.0, "> 02011"), (115.1, "< 500020")]
        self.assertEqual(self.found(), set())

    def test_a_command_of_a_phone_that_was_shut_out(self):
        self.evidence.trace += [(112.0, "> 02014"), (112.1, "< 500020")]
        self.assert_found_by(checker.check_strangers)

    def test_a_phone_that_was_shut_out_and_is_told(self):
        self.evidence.arrivals.append(Arrival("thief", 100.4, "1.1", None, "601", MESSAGE))
        self.assert_found_by(checker.check_shut_out)

    def test_two_events_with_one_number(self):
        self.evidence.arrivals.append(Arrival("ben", 101.0, "1.1", None, "601", "Alarm: zone 18, partition 1"))
        self.assert_found_by(checker.check_sequence)

    def test_a_hole_in_the_journal(self):
        self.evidence.rows.append(Row(3, 101.0, "609", "609003", "Zone 3 open", None))
        self.assert_found_by(checker.check_sequence)

    def test_a_place_that_a_phone_holds_twice(self):
        self.evidence.phones[0].rows *= 2
        self.assert_found_by(checker.check_sequence)

    def test_a_gap_that_stays(self):
        self.evidence.phones[0].missing = 2
        self.assert_found_by(checker.check_logs)

    def test_a_push_that_was_never_stored(self):
        self.evidence.arrivals.append(Arrival("ben", 101.0, None, "u-7", "601", MESSAGE))
        self.assert_found_by(checker.check_unstored)

    def test_a_push_by_its_mark_counts(self):
        self.evidence.arrivals[1] = Arrival("ben", 100.3, None, "u-1", "601", MESSAGE)
        self.assertEqual(self.found(), set())

    def test_a_recording_that_tells_another_story_or_none(self):
        for told in ((1, "812 steps of 2 segments: not the same; the first difference is in step 7"),
                     (0, "0 steps of 0 segments: the same orders as then"), (None, "")):
            self.evidence.replay = told
            self.assert_found_by(checker.check_replay)

    def test_a_damaged_journal(self):
        self.evidence.integrity = "row 1 missing from index"
        self.assert_found_by(checker.check_integrity)

    def test_a_daemon_that_ended(self):
        self.evidence.own_ends.append("the daemon ended by itself")
        self.assert_found_by(checker.check_life)

    def test_what_was_never_put_to_the_test_was_not_kept(self):
        self.evidence = Evidence(
            phones=self.evidence.phones[:2], faults=self.evidence.faults, planned=2, integrity="ok",
            replay=self.evidence.replay)
        self.evidence.phones[0].rows = []
        self.assert_found_by(
            checker.check_journal, checker.check_delivery, checker.check_final_alarm, checker.check_at_most_once,
            checker.check_ok_happened)

    def test_an_alarm_after_all_faults_that_the_box_is_not_known_to_have_read(self):
        self.add_alarm()
        del self.evidence.trace[-2:]
        self.assertEqual(alarm_fates(self.evidence.alarms, self.evidence.trace), ["ok", "unknown"])
        self.assert_found_by(checker.check_final_alarm)

    def test_no_alarm_after_all_faults(self):
        self.evidence.final_alarm = None
        self.assert_found_by(checker.check_final_alarm)

    def test_faults_of_which_too_few_were_made(self):
        for answer in ("not made: nobody answered", "error: no such word", "nothing to replay"):
            self.evidence.faults = [(1.0, "a", 0.0, answer), (1.0, "b", 0.0, answer), (2.0, "c", 0.0, "ok")]
            self.evidence.planned = 3
            self.assert_found_by(checker.check_faults)
        self.evidence.planned = 2
        self.assertEqual(self.found(), set(), "a half is enough")

    def test_a_run_without_faults(self):
        self.evidence.faults, self.evidence.planned = [], 0
        self.assert_found_by(checker.check_faults)

    def test_a_state_that_differs_and_what_never_comes_to_rest(self):
        self.evidence.differences.append(("zone 1", "open", "closed"))
        self.evidence.unsettled.append("3 messages wait")
        self.assert_found_by(checker.check_state, checker.check_liveness)

    def test_a_number_that_a_killed_phone_gives_twice(self):
        history = History(os.devnull)
        self.addCleanup(history.file.close)
        for words, number in (("arm stay", 9), ("output 3", 9)):
            history.command("anna", words)
            history.outcome("anna", number, words.split()[0], "pending", "")
            history.forgotten("anna")
        history.outcome("anna", 9, "output", "ok", "")
        self.assertEqual([command.result for command in history.evidence.commands], ["timeout", "ok"])


if __name__ == "__main__":
    unittest.main()

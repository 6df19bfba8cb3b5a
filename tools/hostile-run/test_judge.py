"""Made-up figures: each bound finds what it is for, and good figures break nothing."""
import dataclasses
import unittest

import judge
from judge import Figures, HelperFigures, broken

GOOD = Figures(
    peer="test", seconds=20, memory_quiet=7000, memory_peak=9000, quiet=[0.01] * 20, attacked=[0.02] * 80, answer=0.1, rows=20,
    journal_bytes=2_000_000, recorder_bytes=4_000_000, log_bytes=20_000, attacks={"one": (5, 90_000), "two": (2, 300)},
    is_recovery_due=True, recovered=1.0)

HELPERS = HelperFigures(file_limit=64, limit=20, quiet_started=5, memory_quiet=3000, started=40, memory_peak=5000, files=64,
                        at_once=20)


def changed(**fields):
    return dataclasses.replace(GOOD, **fields)


class JudgeTests(unittest.TestCase):
    def breaks(self, words, **fields):
        found = broken(changed(**fields))
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_good_figures_break_nothing(self):
        self.assertEqual(broken(GOOD), [])

    def test_memory(self):
        edge = GOOD.memory_quiet + judge.MEMORY_KIB
        self.assertEqual(broken(changed(memory_peak=edge)), [])
        self.breaks("memory grew", memory_peak=edge + 1)
        self.breaks("(flood 4000)", memory_peak=edge + 1, rises=[("flood", 4000)])
        self.breaks("not measured", memory_quiet=0, memory_peak=0)

    def test_alarms(self):
        self.breaks("1 of 81 alarms under attack", attacked=[0.02] * 80 + [None])
        self.breaks("1 of 21 alarms in peace", quiet=[0.01] * 20 + [None])
        self.breaks("says nothing", attacked=[0.02] * 3)
        self.assertEqual(broken(changed(attacked=[0.02] * 199 + [9])), [])
        self.breaks("p99", attacked=[0.02] * 90 + [2.5, 2.5])

    def test_control_socket(self):
        self.breaks("did not answer", answer=None)
        self.breaks("took 2.10 s", answer=2.1)

    def test_end_of_the_daemon(self):
        self.breaks("the daemon ended: status -6", end="status -6, in the attack")

    def test_journal_and_log(self):
        self.breaks("journal grew", rows=judge.ROWS_FREE + judge.ROWS_A_SECOND * 20 + 1)
        self.breaks("journal's files", journal_bytes=judge.JOURNAL_FREE + judge.JOURNAL_A_SECOND * 20 + 1)
        self.breaks("flight recorder", recorder_bytes=judge.RECORDER_BYTES + 1)
        self.breaks("log grew", log_bytes=judge.LOG_FREE + judge.LOG_A_SECOND * 20 + 1)

    def test_what_is_written_down_line_by_line(self):
        self.assertEqual(broken(changed(is_limited_by_retention=True, rows=10**6, kept_rows=judge.KEPT_EVENTS)), [])
        bytes_ = judge.JOURNAL_FREE + judge.JOURNAL_A_SECOND * 20
        bytes_ += (judge.KEPT_EVENTS + judge.KEPT_MARGIN) * judge.EVENT_BYTES
        kept = dict(is_limited_by_retention=True, kept_rows=judge.KEPT_EVENTS)
        self.assertEqual(broken(changed(journal_bytes=bytes_, **kept)), [])
        self.breaks("journal's files", journal_bytes=bytes_ + 1, **kept)
        self.breaks("journal holds", is_limited_by_retention=True, kept_rows=judge.KEPT_EVENTS + judge.KEPT_MARGIN + 1)

    def test_peer_that_does_nothing(self):
        self.assertEqual(len(broken(changed(attacks={}))), 2)
        self.breaks("hostile bytes only", attacks={"one": (5, 0), "two": (2, 0)})
        self.breaks("1 of 2 attacks met", attacks={"one": (5, 90_000), "two": (0, 0)})
        self.assertEqual(broken(changed(attacks={"alone": (1, 90_000)})), [])

    def test_encryption(self):
        self.breaks("without the encryption", in_clear=1)

    def test_helper_processes(self):
        def breaks(words, **fields):
            self.breaks(words, helper=dataclasses.replace(HELPERS, **fields))
        edge = HELPERS.memory_quiet + judge.MEMORY_KIB
        self.assertEqual(broken(changed(helper=dataclasses.replace(HELPERS, memory_peak=edge))), [])
        breaks("more than in peace", memory_peak=edge + 1)
        breaks("not measured", memory_quiet=0, memory_peak=0)
        breaks("65 descriptors", files=65)
        breaks("21 helper processes ran at a time", at_once=21)
        breaks("1 helper processes still ran", left=1)

    def test_figures_survive_their_way_as_json(self):
        figures = changed(helper=HELPERS)
        self.assertEqual(Figures(**dataclasses.asdict(figures)), figures)

    def test_recovery(self):
        self.breaks("did not come back", recovered=None)
        self.assertEqual(broken(changed(recovered=None, is_recovery_due=False)), [])

    def test_run_that_failed(self):
        self.breaks("no such program", problem="no such program")

    def test_percentile(self):
        self.assertEqual(judge.percentile([3, 1, 2, None], 0.5), 2)
        self.assertEqual(judge.percentile(list(range(1, 101)), 0.99), 99)
        self.assertIsNone(judge.percentile([None], 0.5))

    def test_line_has_the_figures(self):
        text = judge.line(changed(attacked=[0.02] * 79 + [None], helper=HELPERS))
        for part in ("6.8 -> 8.8 MiB", "10/10 -> 20/20 ms", "alarms 79/80", "journal +20 rows", "2/2 attacks", "7 connections",
                     "back in 1.0 s", "helpers 40: memory 2.9 -> 4.9 MiB, 64 descriptors, 20 at a time"):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()

"""The plan of faults, and the judgement of series."""
import unittest

import faults
import series

PHONES = ["a", "b", "c"]


class PlanTests(unittest.TestCase):
    def test_the_same_seed_gives_the_same_faults(self):
        self.assertEqual(faults.plan(7, 600, PHONES), faults.plan(7, 600, PHONES))
        self.assertNotEqual(faults.plan(7, 600, PHONES), faults.plan(8, 600, PHONES))

    def test_no_two_faults_hold_the_same_thing(self):
        planned = faults.plan(3, 3600, PHONES)
        last = {}
        for item in planned:
            for name in faults.held(item.kind, item.choice, PHONES):
                self.assertGreaterEqual(item.begin, last.get(name, 0))
                last[name] = item.begin + item.span + item.kind.rest

    def test_every_kind_comes_and_ends_in_time(self):
        planned = faults.plan(1, 3600, PHONES)
        self.assertEqual({item.kind for item in planned}, set(faults.KINDS))
        self.assertLessEqual(max(item.begin + item.span for item in planned), 3600)

    def test_every_kind_can_be_carried_out(self):
        nemesis = faults.Nemesis(None, type("House", (), {
            "tell_panel": None, "tell_push": None, "start_daemon": None, "reload": None,
            "fill_disk": None, "free_disk": None})(), {"a": type("Phone", (), {"kill": None})()}, None, None)
        for kind in faults.KINDS:
            self.assertEqual(len(nemesis._steps(kind.name, 5, 1.0)), 2)


    def test_a_fault_that_nobody_hears_of_is_not_made(self):
        for answer, told in (("", "not made: nobody answered"), ("ok", "ok"), (None, "ok")):
            found = []
            house = type("House", (), {
                "tell_panel": staticmethod(lambda line, answer=answer: answer), "tell_push": None, "start_daemon": None,
                "reload": None, "fill_disk": None, "free_disk": None})()
            history = type("History", (), {"fault": staticmethod(lambda kind, span, answer: found.append(answer))})()
            nemesis = faults.Nemesis(None, house, {"a": type("Phone", (), {"kill": None})()}, None, history)
            kind = next(kind for kind in faults.KINDS if kind.name == "module talks rubbish")
            nemesis._carry_out(faults.Planned(0, 0, kind, 0))
            self.assertEqual(found, [told])


class SeriesTests(unittest.TestCase):
    def grown(self, kib_per_row, fds=20, wal=1000):
        table = series.Series(["seconds", "rss_kib", "fds", "threads", "wal_bytes"])
        for number in range(100):
            table.add(seconds=number * 5.0, rss_kib=20_000 + kib_per_row * number, fds=fds + (number > 80) * (fds - 20),
                      threads=3, wal_bytes=wal)
        return [held for held, _ in series.verdicts(table, 100.0)]

    def test_what_is_level_holds(self):
        self.assertEqual(self.grown(0), [True, True, True, True])

    def test_growth_by_more_than_two_percent_is_found(self):
        self.assertEqual(self.grown(6), [False, True, True, True])
        self.assertEqual(self.grown(-6), [True, True, True, True])

    def test_descriptors_that_are_lost_are_found(self):
        self.assertEqual(self.grown(0, fds=22), [True, False, True, True])

    def test_a_long_log_is_found(self):
        self.assertEqual(self.grown(0, wal=5 << 20), [True, True, True, False])

    def test_one_poll_that_is_seen_late_makes_no_other_late(self):
        gaps = [5.0] * 200 + [5.3, 4.7] + [5.001] * 200
        late = sorted(series.lateness(gaps, 5.0))
        self.assertAlmostEqual(late[-1], 0.3, 2)
        self.assertLess(late[-2], 0.002)

    def test_polls_that_are_all_late_are_found(self):
        self.assertGreater(min(series.lateness([5.2] * 100, 5.0)), 0.1)


if __name__ == "__main__":
    unittest.main()

"""The table at the end of a run."""
import collections

from checker import judge, was_made
from fates import alarm_fates, effects


def faults_by_kind(evidence):
    made, not_made = collections.Counter(), collections.Counter()
    for _, kind, _, answer in evidence.faults:
        (made if was_made(answer) else not_made)[kind] += 1
    return made, not_made


def table(evidence):
    """Lines, and whether every promise held."""
    lines = ["", "Faults"]
    made, not_made = faults_by_kind(evidence)
    for kind in sorted(set(made) | set(not_made)):
        rest = f"   ({not_made[kind]} could not be made)" if not_made[kind] else ""
        lines.append(f"  {made[kind]:5}  {kind}{rest}")
    lines.append(f"  {sum(made.values()):5}  in all")

    fates = collections.Counter(alarm_fates(evidence.alarms, evidence.trace))
    lines += ["", "Operations                    ok  failed  unknown"]
    lines.append(f"  {'alarms of the panel':24} {fates['ok']:6} {fates['failed']:7} {fates['unknown']:8}")
    results = collections.defaultdict(collections.Counter)
    for command in evidence.commands:
        fate = "unknown" if command.is_unknown else "ok" if command.result == "ok" else "failed"
        results[command.words][fate] += 1
    for words in sorted(results):
        count = results[words]
        lines.append(f"  {'phones: ' + words:24} {count['ok']:6} {count['failed']:7} {count['unknown']:8}")
    why = collections.Counter(f"{c.result} {c.why}".strip() for c in evidence.commands if c.result != "ok")
    lines.append("  not ok: " + ", ".join(f"{count} {text}" for text, count in why.most_common()))
    lines.append(f"  {len(evidence.rows)} events in the journal, {len(evidence.arrivals)} shown by phones, "
                 f"{sum(e.fate == 'taken' for e in effects(evidence.trace))} commands done by the panel")
    if evidence.settled_after is not None:
        lines.append(f"  at rest {evidence.settled_after:.0f} s after the last fault")

    lines += ["", "Checks"]
    verdicts = judge(evidence)
    for verdict in verdicts:
        lines.append(f"  {'held  ' if verdict.held else 'BROKEN'}  {verdict.name} ({verdict.looked_at} looked at)")
        lines += [f"            {sentence}" for sentence in verdict.broken[:10]]
        if len(verdict.broken) > 10:
            lines.append(f"            and {len(verdict.broken) - 10} more")
    return lines, all(verdict.held for verdict in verdicts)

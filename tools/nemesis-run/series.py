"""Series of measurements: as CSV, as a plot, and the test of their slopes."""
import html
import statistics

# Reliability figures of the design: memory may grow by so much after the warm-up, and the log ahead of the journal
# stays below that.
GROWTH_KIB, GROWTH_SHARE, WAL_BYTES, LATE_SHARE = 1024, 0.02, 4 << 20, 0.01


class Series:
    """Rows of numbers with a name for each column; the first column is seconds since the start. None: not measured."""

    def __init__(self, columns):
        self.columns, self.rows = columns, []

    def add(self, **values):
        self.rows.append([values.get(column) for column in self.columns])

    def column(self, name, since=0.0):
        place = self.columns.index(name)
        return [(row[0], row[place]) for row in self.rows if row[place] is not None and row[0] >= since]

    def write(self, path):
        with open(path, "w") as file:
            file.write(",".join(self.columns) + "\n")
            for row in self.rows:
                file.write(",".join("" if value is None else f"{value:g}" if isinstance(value, int) and value < 100_000
                                    else f"{value:.3f}".rstrip("0").rstrip(".") for value in row) + "\n")


def fitted_growth(points):
    """How much the line of least squares rises over these points."""
    if len(points) < 3:
        return 0.0
    slope, _ = statistics.linear_regression([time for time, _ in points], [value for _, value in points])
    return slope * (points[-1][0] - points[0][0])


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def lateness(gaps, interval):
    """How much later than usual each came. The usual gap is the median, not the shortest: after one that was seen late
    the next is short, and all others would look late for ever. Where all are late, the interval and its share count."""
    usual = min(quantile(gaps, 0.5) or interval, interval * (1 + LATE_SHARE))
    return [gap - usual for gap in gaps]


def level(points):
    return statistics.median(value for _, value in points)


def verdicts(series, warm, disturbed=()):
    """(held, sentence) for memory, descriptors, threads and the log, after `warm` seconds.

    `disturbed`: (begin, end) in seconds in which the daemon has reasons to open and close connections.
    """
    rss = series.column("rss_kib", warm)
    growth, start = fitted_growth(rss), rss[0][1]
    result = [(growth <= GROWTH_KIB and growth <= GROWTH_SHARE * start,
               f"resident memory grew by {growth:+.0f} KiB ({100 * growth / start:+.2f} %) in "
               f"{rss[-1][0] - rss[0][0]:.0f} s after the warm-up, from {start / 1024:.1f} MiB; allowed are 1024 KiB and 2 %")]
    for name, what in (("fds", "open descriptors"), ("threads", "threads")):
        points = series.column(name, warm)
        calm = [(time, value) for time, value in points
                if not any(begin <= time <= end for begin, end in disturbed)]
        points = calm if len(calm) >= 10 else points
        fifth = max(1, len(points) // 5)
        first, last = level(points[:fifth]), level(points[-fifth:])
        most = max(value for _, value in points)
        result.append((last - first <= 1,
                       f"{what} while links are whole: {first:g} at first, {last:g} at last, {most:g} at most"))
    wal = max(value for _, value in series.column("wal_bytes"))
    result.append((wal <= WAL_BYTES, f"log ahead of the journal: {wal / 1024:.0f} KiB at most; allowed are 4096 KiB"))
    return result


def plot(series, path, names, shades=(), title=""):
    """An SVG with one strip per column; `shades` are (begin, end) in seconds, drawn behind."""
    width, strip, left = 900, 110, 90
    end = max(row[0] for row in series.rows) or 1
    x = lambda time: left + (width - left - 20) * time / end
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{40 + strip * len(names)}" '
           'font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{left}" y="20" font-size="14">{html.escape(title)}</text>']
    for begin, stop in shades:
        out.append(f'<rect x="{x(begin):.1f}" y="30" width="{max(1, x(min(stop, end)) - x(begin)):.1f}" '
                   f'height="{strip * len(names)}" fill="#f3d9c8"/>')
    for number, (name, label) in enumerate(names):
        points = series.column(name)
        if not points:
            continue
        top, bottom = 40 + strip * number, 40 + strip * (number + 1) - 26
        low, high = min(value for _, value in points), max(value for _, value in points)
        y = lambda value: bottom - (bottom - top) * ((value - low) / (high - low) if high > low else 0.5)
        out.append(f'<text x="{left}" y="{top - 1}">{html.escape(label)}</text>')
        for value in {low, high}:
            out.append(f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
        out.append(f'<path d="M{left} {bottom}H{width - 20}" stroke="#bbb"/>')
        path_points = " ".join(f"{x(time):.1f},{y(value):.1f}" for time, value in points)
        out.append(f'<polyline points="{path_points}" fill="none" stroke="#225599" stroke-width="1.2"/>')
    out.append(f'<text x="{width - 20}" y="{36 + strip * len(names)}" text-anchor="end">{end / 60:.0f} minutes; '
               'shaded: a link was cut</text></svg>')
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")

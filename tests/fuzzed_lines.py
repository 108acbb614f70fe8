"""Lines as broken loggers write them: good ones of some format, most of them mutated."""

import random

FORMATS = (
    ("", "{value}"),
    ("time,value", "{k},{value}"),
    ("timestamp;value", "{date};{value}"),
    ("", "{date}\t{value}"),
    ("", '{{"time": {k}, "value": {value}}}'),
    ("", '{{"timestamp": "{date}", "value": {value}, "unit": "mg/l"}}'),
)
PARTS = (
    *(b"\r", b"\x00", b"\xff", b'"', b"'", b",", b";", b"\t", b"{", b"}", b"[", b"]", b":", b"\\"),
    *(b"nan", b"inf", b"-", b"1e308", b"1e-320", b"-1e19", b"0x1F", b"1_0", b"null", b"true"),
    *(b"now", b"today", b"NaT", b"99999-01-01", b"0000-00-00", b"2019-02-30", b"+25:00", b"Z"),
    *("\u0663".encode(), "\u00b2".encode(), "\ufeff".encode(), "\u2028".encode(), b"\\ud800"),
    *(b"9" * 5000, b"[" * 3000, b'{"a":' * 3000, b"x" * 70000, b"time,value", b"a,b,c,d", b""),
)


def fuzzed_lines(n, seed):
    """Return lines, most of them broken in one way or several."""
    chance = random.Random(seed)
    names, pattern = chance.choice(FORMATS)
    broken = chance.choice([0.05, 0.5, 0.9])
    lines = [names.encode()] if names else []
    for k in range(n - len(lines)):
        day, minute = divmod(15 * k, 24 * 60)
        date = (
            f"2019-{1 + day // 28 % 12:02d}-{1 + day % 28:02d} {minute // 60:02d}:{minute % 60:02d}"
        )
        line = pattern.format(k=900 * k, date=date, value=round(chance.gauss(8, 1), 2)).encode()
        while chance.random() < broken:
            line = mutated(line, chance)
        lines.append(line.replace(b"\n", b" "))
    return lines


def mutated(line, chance):
    start, end = sorted(chance.randrange(len(line) + 1) for _ in range(2))
    return chance.choice(
        (
            line[:start],
            line[start:],
            line[:start] + line[end:],
            line[:start] + chance.choice(PARTS) + line[start:],
            line[:start] + chance.choice(PARTS) + line[end:],
            line[:start] + chance.randbytes(chance.randrange(4)) + line[end:],
            line + line[start:],
        )
    )

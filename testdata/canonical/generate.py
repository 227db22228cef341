"""What Python's json makes of random rows: one JSON object a line with `form`, `line` and `out`.

    python3 generate.py SEED COUNT > python.jsonl
"""

import json
import random
import struct
import sys
import unicodedata

dice = random.Random(int(sys.argv[1]))
CHARS = ["a", "b", "z", "0", "~", "\x7f", "/", '"', "\\", "\n", "\t", "\r", "\b", "\f", "\0", "\x1f", "\x80", "\xe9",
         "e\u0301", "\u2028", "\ud7ff", "\ue000", "\uff5e", "\uffff", "\U00010000", "\U0001f600", "\u1e9b\u0323", "\uac00"]


def string():
    text = "".join(dice.choice(CHARS) for _ in range(dice.choice([0, 1, 1, 2, 3, 9])))
    return text, json.dumps(text, ensure_ascii=dice.random() < 0.5)


def number():
    kind = dice.randrange(6)
    if kind == 0:
        return dice.choice(["0", "-0", "-0.0", "1.0", "1e16", "1E15", "0.0001", "0.00001", "1e22", "5e-324", "1e-400",
                            "9007199254740993", "18446744073709551616", "-9223372036854775809", "123456789012345678901234567890"])
    if kind == 1:
        return str(dice.randrange(-1000, 1000))
    if kind == 2:
        return f"{dice.randrange(10**6) / 1000}{dice.choice(['', '0', 'e5', 'E-9'])}"
    if kind == 3:
        return f"{dice.choice('123456789')}e{dice.randrange(-320, 308)}"
    value = struct.unpack("<d", struct.pack("<Q", dice.getrandbits(64)))[0]
    if value != value or value in (float("inf"), float("-inf")):
        return "1.5"
    return repr(value) if kind == 4 else f"{value:.20e}"


def value(depth):
    kind = dice.randrange(8) if depth < 4 else dice.randrange(5)
    if kind < 2:
        return number()
    if kind < 4:
        return string()[1]
    if kind == 4:
        return dice.choice(["true", "false", "null"])
    if kind < 7:
        return row(depth + 1)
    return "[" + ", ".join(value(depth + 1) for _ in range(dice.randrange(4))) + "]"


def row(depth=0):
    names, members = set(), []
    for _ in range(dice.randrange(6)):
        name, spelled = string()
        if unicodedata.normalize("NFC", name) not in names:
            names.add(unicodedata.normalize("NFC", name))
            members.append(f"{spelled} :{value(depth)}")
    return "{" + ",".join(members) + "}"


def normalized(value):
    if isinstance(value, dict):
        return {normalized(name): normalized(member) for name, member in value.items()}
    if isinstance(value, list):
        return [normalized(item) for item in value]
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value


for _ in range(int(sys.argv[2])):
    line = row()
    parsed = json.loads(line)
    outs = {
        "python-default": json.dumps(parsed, sort_keys=True),
        "python-inserted": json.dumps(parsed),
        "python-compact": json.dumps(parsed, sort_keys=True, separators=(",", ":"), ensure_ascii=False),
        "python-compact-ascii": json.dumps(parsed, sort_keys=True, separators=(",", ":")),
        "python-raw": json.dumps(parsed, sort_keys=True, ensure_ascii=False),
        "python-nfc": json.dumps(normalized(parsed), sort_keys=True, separators=(",", ":"), ensure_ascii=False),
    }
    for form, out in outs.items():
        print(json.dumps({"form": form, "line": line, "out": out}))

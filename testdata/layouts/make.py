#!/usr/bin/env python3
"""Writes the exports in this folder: one small whole ledger for each layout that a profile's [input] knows.

tests/input.rs verifies them and damages copies of them. Run it here; it needs nothing but Python.
"""
import hashlib, json, os

ZERO = "0" * 64
TEXTS = ["start", "naïve café 日本語", 'quote " back\\slash', "", "five", "six"]

def sha(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()

def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())

def lines():
    """[1] info start|prev=…|hash=…"""
    prev, out = ZERO, ""
    for number, text in enumerate(TEXTS, 1):
        level = "warn" if number == 3 else "info"
        digest = sha(f"{number}|{level}|{text}|{prev}")
        out += f"[{number}] {level} {text}|prev={prev}|hash={digest}\n"
        prev = digest
    write("lines/whole.log", out)

def sidecar():
    """The log as it is, one line not even UTF-8, and N|hash|prev beside it."""
    prev, log, sums = ZERO, b"", ""
    for number, text in enumerate(TEXTS, 1):
        line = b"\xff\xfe not UTF-8" if number == 5 else text.encode()
        digest = sha(line + prev.encode())
        log += line + b"\n"
        sums += f"{number}|{digest}|{prev}\n"
        prev = digest
    write("sidecar/whole.log", log)
    write("sidecar/whole.log.sums", sums)

def rows(more=lambda number, text: {}):
    prev, out = ZERO, []
    for number, text in enumerate(TEXTS, 1):
        row = {"n": number, "text": text, **more(number, text), "prev": prev}
        canonical = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        row["hash"] = prev = sha(canonical)
        out.append(row)
    return out

def document():
    plain = rows()
    write("document/whole.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in plain))
    ledger = {"exported": "by hand", "result": [{"rows": "no"}, {"rows": plain}], "count": len(plain)}
    write("document/whole.json", json.dumps(ledger, ensure_ascii=False, indent=2) + "\n")
    write("document/one-line.json", json.dumps(ledger, ensure_ascii=False))

def canonical():
    compact = lambda row: json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
    write("canonical/whole.jsonl", "".join(map(compact, rows())))

def bodies():
    def body(number, text):
        name = "five" if number == 6 else text or "empty"
        data = f"the body of {name}\n".encode() * 3
        if name.isascii() and name.isalpha():
            write(f"bodies/named/{name}.txt", data)
        write(f"bodies/bodies/{sha(data)}", data)
        return {"name": name if name.isascii() and name.isalpha() else "start", "body": "sha256:" + sha(data)}
    def row(number, text):
        made = body(number, text)
        name = made["name"]
        return {**made, "file": sha(open(f"bodies/named/{name}.txt", "rb").read())}
    write("bodies/whole.jsonl", "".join(json.dumps(made, ensure_ascii=False) + "\n" for made in rows(row)))

os.chdir(os.path.dirname(os.path.abspath(__file__)))
for make in (lines, sidecar, document, canonical, bodies):
    make()

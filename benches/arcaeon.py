#!/usr/bin/env python3
"""Rows a second against the real package `arcaeon`, both on one ledger, by turns.

    cargo build --release && python3 benches/arcaeon.py

Makes a ledger of ROWS rows (200000) of 400 bytes, installs the package into a virtual environment of its own, and lets
its verifier and target/release/ledger-verify read the ledger ROUNDS (5) times in turn. Where the package cannot be
installed it says so and measures nothing.
"""
import hashlib, json, os, resource, statistics, subprocess, sys, tempfile, time, venv

PACKAGE = "arcaeon==0.10.0"
VERIFY = "import sys; from arcaeon.record.ledger import verify_file; sys.exit(0 if verify_file(sys.argv[1]).ok is True else 1)"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def ledger(path, rows):
    """A ledger as the package writes it, each row 400 bytes with its line end."""
    claim = "genesis"
    with open(path, "w", encoding="utf-8") as out:
        for number in range(rows):
            row = {"ts": f"2026-01-01T00:{number // 60 % 60:02}:{number % 60:02}Z", "tool": "search", "n": number, "amount": 42.5, "ok": True, "note": ""}
            row["note"] = "x" * (399 - len(json.dumps({**row, "chain": "0" * 32})))
            text = claim + json.dumps(row, sort_keys=True, ensure_ascii=False)
            claim = hashlib.sha256(text.encode()).hexdigest()[:32]
            out.write(json.dumps({**row, "chain": claim}) + "\n")


def timed(command):
    """Wall and processor time of a command that must succeed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{command[0]} ended with {done.returncode}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    rows, rounds = int(os.environ.get("ROWS", "200000")), int(os.environ.get("ROUNDS", "5"))
    ours = os.path.join(ROOT, "target", "release", "ledger-verify")
    with tempfile.TemporaryDirectory() as folder:
        path, environment = os.path.join(folder, "agent.log.jsonl"), os.path.join(folder, "venv")
        venv.create(environment, with_pip=True)
        python = os.path.join(environment, "bin", "python")
        if subprocess.run([python, "-m", "pip", "install", "-q", PACKAGE]).returncode:
            return print(f"skipped: {PACKAGE} cannot be installed here")
        ledger(path, rows)
        program = [ours, path, "--profile", "arcaeon", "--accept", "no-anchor", "--quiet"]
        contenders = {"the package": [python, "-c", VERIFY, path], "1 thread": [*program, "--threads", "1"], "2 threads": [*program, "--threads", "2"]}
        times = {name: [] for name in contenders}
        for _ in range(rounds):
            for name, command in contenders.items():
                times[name].append(timed(command))
        wall = {name: statistics.median(one[0] for one in all) for name, all in times.items()}
        processor = {name: statistics.median(one[1] for one in all) for name, all in times.items()}
        for name in contenders:
            ratio = f"{wall['the package'] / wall[name]:.1f} times by wall, {processor['the package'] / processor[name]:.1f} by processor time"
            print(f"{name}: {rows / wall[name]:,.0f} rows/s, {processor[name] / rows * 1e6:.2f} µs of processor time a row; {ratio}")


if __name__ == "__main__":
    main()

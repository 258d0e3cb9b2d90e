"""Reads a CSV of bankshot with Python's csv module: every row as long as the header, every number a finite number."""
import csv
import math
import sys

TEXTS = {"probe", "variant", "backend", "device", "arch", "source", "kernel", "op", "type", "pattern", "block", "grid", "verified", "verdict"}

with open(sys.argv[1], newline="", encoding="utf-8") as file:
    lines = [line for line in file if not line.startswith("#")]
rows = list(csv.reader(lines, strict=True))
header = rows.pop(0)
assert rows, "no rows"
for row in rows:
    assert len(row) == len(header), f"{len(row)} fields under {len(header)} columns: {row}"
    for name, field in zip(header, row):
        if field and name not in TEXTS:
            assert math.isfinite(float(field)), f"{name} is {field}"

#!/usr/bin/env python3
"""Passes of loads from another block's shared memory, by the rule of docs/validation.md, beside a GPU's counters.

    python3 tests/shell/remote_passes.py results/h100/smem-clusters-counters.csv

Prints how many rows agree to 0.02 %, and each that does not.
"""

import csv
import sys

FIRST_LINE = 24  # where the kernel's array begins, in lines of 128 bytes, in what the tags count by
TAG_BANKS = 4
WARPS = 32


def tag_bank(line):
    """The XOR of the two-bit digits of a line's number."""
    bank = 0
    while line:
        bank ^= line % TAG_BANKS
        line //= TAG_BANKS
    return bank


def bank_passes(addresses, width):
    words = {address // 4 + k for address in addresses for k in range(width // 4)}
    banks = [word % 32 for word in words]
    return max(banks.count(bank) for bank in set(banks))


def passes(addresses, width):
    """A request is split by lines of which no two share a bank of tags; each part takes its groups' passes of the banks."""
    group_lanes = 32 * 4 // width
    turn, parts = {}, {}
    for lane, address in enumerate(addresses):
        line = address // 128
        turn.setdefault(line, sum(tag_bank(other) == tag_bank(line) for other in turn))
        parts.setdefault((turn[line], lane // group_lanes), []).append(address)
    return sum(bank_passes(part, width) for part in parts.values())


def warp_addresses(warp, stride, width):
    """smem's elements of a warp: those of other warps fill the gaps of a stride (smem/smem.cu)."""
    first = warp % stride + warp // stride * 32 * stride
    return [FIRST_LINE * 128 + (lane * stride + first) * width for lane in range(32)]


def main():
    agree, rows = 0, 0
    with open(sys.argv[1], encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            if row["variant"] != "remote-load" or row["distance"] in ("", "0"):
                continue
            width, stride = int(row["width_bytes"]), int(row["stride"])
            mean = sum(passes(warp_addresses(warp, stride, width), width) for warp in range(WARPS)) / WARPS
            requests = float(row["passes"]) / float(row["passes_per_request"])
            rows += 1
            counted = float(row["counted_passes"]) / requests
            if abs(counted / mean - 1) < 2e-4:
                agree += 1
            else:
                print(f"{row['variant']} width {width} stride {stride}: counted {counted:.4f}, by the rule {mean:.4f}")
    print(f"{agree} of {rows} rows agree")


if __name__ == "__main__":
    main()

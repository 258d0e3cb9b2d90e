#!/usr/bin/env python3
"""Every layout that lanes --layout tries, counted a second time by brute force.

    python3 tests/shell/layouts.py --lanes build/lanes --folder DIR [--all]

Each request of each access is written out, lane by lane, each lane's place is computed by the index function that lanes
prints, and its passes are counted by the rules of tests/shell/rules.py, which know nothing of the C of model/. Whatever
lanes takes together for speed is taken apart here. DIR is for files of addresses. Needs no package.
"""

import argparse
import collections
import json
import os
import subprocess
import sys

import rules

# Tile, element bytes, accesses, GPUs. @fft stands for a file of addresses that is written below.
SMALL = [
    ("16x16", 8, "store:row load:column", "h200 mi300x"),
    ("8x16", 12, "store:row load:column", "a100 mi210"),
    ("16x64", 2, "store:row:16 copy:row load:ldmatrix", "h200"),
    ("8x24", 4, "copy:row:8 copy:8x2-down:4", "a100 v100"),
]
MORE = [
    ("32x16", 4, "store:row load:column", "h200 mi300x"),
    ("32x32", 2, "store:row:16 load:mma load:mfma16 load:mfma32:8", "h200 mi300x"),
    ("16x16", 8, "store:@fft0 load:@fft1 store:@fft2 load:@fft3", "h200 mi300x"),
    ("32x32", 4, "store:row load:column", "h200 mi300x"),
    ("32x32", 2, "store:row load:column", "h200 mi300x"),
    ("16x16", 16, "store:row load:column", "h200 mi300x"),
    ("64x64", 2, "store:row:16 load:ldmatrix", "h200"),
    ("12x20", 4, "store:row load:column load:4x4:8", "k40 rx7900xtx"),
    ("16x32", 2, "store:row:4 load:8x4-down:4 load:column", "k40-8byte mi355x rx6900xt"),
    ("16x24", 4, "store:row:12 load:column", "h200 mi355x"),
    ("16x64", 1, "store:row:16 load:column load:mfma16:4", "v100 mi300x"),
    ("32x16", 4, "store:row:16 load:mma load:mfma32 load:mfma16", "rtx4090 mi355x"),
    ("32x64", 2, "store:row:16 load:mfma16:16", "h200 mi300x mi355x"),
    ("9x33", 4, "load:column load:row", "gtx1080 mi50"),
    ("16x64", 2, "store:stmatrix load:row:8", "b200 rx9070xt"),
    ("32x48", 2, "copy:4x2 copy:column:4 load:ldmatrix", "h200"),
    ("32x16", 4, "copy:row copy:@fft3:4", "b200 mi210"),
    ("1x512", 4, "load:@fft0:4 store:@fft1:4", "a100 mi100"),
]
MATRIX = {"ldmatrix": (16, 2), "stmatrix": (16, 2), "mma": (8, 4), "mfma16": (16, 4), "mfma32": (32, 2)}


def fft_addresses(points, threads, radix, step, element):
    """The exchange between two steps of an FFT: thread t stores element j of its butterfly where the next step wants it."""
    lines = []
    for j in range(radix):
        places = [(t // step * radix + j) * step + t % step for t in range(threads)]
        lines += [places[first:first + 64] for first in range(0, threads, 64)]
    return "".join(" ".join(str(place * element % (points * element)) for place in line) + "\n" for line in lines)


def write_addresses(folder):
    for number, step in enumerate((1, 64, 4, 16)):
        with open(os.path.join(folder, f"fft{number}"), "w", encoding="ascii") as file:
            file.write(fft_addresses(256, 64, 4, step, 8))


class Access:
    """An access as typed; requests() writes its requests out as lists of elements' indices, None for an idle lane."""

    def __init__(self, text, rows, columns, element, folder):
        self.op, _, shape = text.partition(":")
        shape, _, count = shape.partition(":")
        self.rows, self.columns, self.element, self.shape = rows, columns, element, shape
        self.file = os.path.join(folder, shape[1:]) if shape.startswith("@") else None
        self.bytes = int(count) if count else self.usual_bytes()
        self.step = self.bytes // element

    def usual_bytes(self):
        if self.op == "copy":
            return 16
        if self.shape.endswith("matrix"):
            return 16
        if self.shape.startswith("mfma") and self.element < 4:
            return 8
        return max(4, self.element) if self.shape in MATRIX else self.element

    def exists(self, gpu):
        if self.op == "copy":
            return gpu.arch.startswith("sm_") and int(gpu.arch[3:]) >= 80
        if self.shape in MATRIX:
            return gpu.amd and gpu.lanes == 64 if self.shape.startswith("mfma") else not gpu.amd
        return True

    def places(self):
        """Which place each lane takes, one after the other, over the whole tile."""
        if self.shape == "row":
            return [(row, column) for row in range(self.rows) for column in range(0, self.columns, self.step)]
        if self.shape == "column":
            return [(row, column) for column in range(0, self.columns, self.step) for row in range(self.rows)]
        down = self.shape.endswith("-down") or self.shape in MATRIX and self.shape != "mma"
        high, wide = MATRIX.get(self.shape) or map(int, self.shape.replace("-down", "").split("x"))
        found = []
        for top in range(0, self.rows, high):
            for left in range(0, self.columns, wide * self.step):
                block = [(top + row, left + column * self.step) for row in range(high) for column in range(wide)]
                found += sorted(block, key=lambda place: (place[1], place[0])) if down else block
        return [(row, column) if row < self.rows and column < self.columns else None for row, column in found]

    def requests(self, lanes):
        if not self.file:
            places = self.places()
            made = [places[first:first + lanes] for first in range(0, len(places), lanes)]
        else:
            made = []
            for line in open(self.file, encoding="ascii"):
                places = [divmod(int(address) // self.element, self.columns) for address in line.split()]
                made += [places[first:first + lanes] for first in range(0, len(places), lanes)]
        made = [[lane and lane[0] * self.columns + lane[1] for lane in request] for request in made if any(request)]
        return [request + [None] * (lanes - len(request)) for request in made]


def layouts(rows, columns):
    """All of the space, as (padding, bits, base, shift)."""
    found = [(padding, 0, 0, 0) for padding in range(columns + 1)]
    index_bits = (rows * columns - 1).bit_length()
    for bits in range(1, index_bits + 1):
        for base in range(index_bits):
            for shift in range(bits, index_bits):
                if base + shift + bits <= index_bits:
                    found += [(0, bits, base, shift), (0, bits, base, -shift)]
    return found


def place_of(layout, columns, row, column):
    """CuTe's definition, or the padded row's."""
    padding, bits, base, shift = layout
    index = row * (columns + padding) + column
    source, target = base + max(0, shift), base - min(0, shift)
    return index ^ (index >> source & (1 << bits) - 1) << target


def name_of(layout):
    padding, bits, base, shift = layout
    return f"Swizzle<{bits},{base},{shift}>" if bits else f"padding {padding}" if padding else "as it is"


def source_of(access, index):
    """The byte in global memory that a copy brings: rows begin with lines of 128 bytes."""
    pitch = -(-access.columns * access.element // 128) * 128
    return index // access.columns * pitch + index % access.columns * access.element


def copy_passes(access, request, addresses):
    """docs/model.md, Copies to shared memory: through L1 unless lanes take 16 bytes."""
    lanes = [(lane, source_of(access, index), addresses[lane]) for lane, index in enumerate(request) if index is not None]
    if access.bytes == 16:
        packets = {}
        for _, source, target in lanes:
            halves = packets.setdefault((source // 32, target // 32, (source ^ target) // 16 % 2), set())
            halves.add(target // 16 % 2)
        return len({(a // 4, b // 4, swaps, tuple(sorted(halves)), (a + b) % 2) for (a, b, swaps), halves in packets.items()})
    wide = 128 // access.bytes
    total = 0
    for first in range(0, 32, wide):
        group = [lane for lane in lanes if first <= lane[0] < first + wide]
        left = collections.Counter()
        entering = collections.Counter(target // 4 % 32 for _, _, target in group)
        waits = set()
        for _, source, target in group:
            entering[target // 4 % 32] -= 1
            waits.add(left[source // 4 % 32] - entering[target // 4 % 32])
            left[source // 4 % 32] += 1
        total += len(waits)
    return total


def least_copy_passes(access, request):
    lanes = [(lane, source_of(access, index)) for lane, index in enumerate(request) if index is not None]
    return len({source // 128 if access.bytes == 16 else lane * access.bytes // 128 for lane, source in lanes})


def passes(gpu, access, addresses, rule):
    return rules.shared_passes(gpu, access.op, access.bytes, addresses, *rule)[0]


def least_passes(gpu, access, addresses):
    """Each group's distinct bytes over those of a pass."""
    if access.op == "copy":
        return least_copy_passes(access, addresses)
    groups, merged, *_ = gpu.service(access.op, access.bytes)
    groups = merged if merged and rules.pair_condition(addresses) else groups
    pieces = [(at, 4) for at in (0, 4, 8)] if access.bytes == 12 and not gpu.amd else [(0, access.bytes)]
    wide = gpu.arch == "gfx950" and access.op == "load" and access.bytes in (8, 16)
    least = 0
    for _, width in pieces:
        for group in groups:
            distinct = len({addresses[lane] for lane in group if addresses[lane] is not None}) * width
            needed = -(-distinct // (256 if wide or gpu.kepler else 128))
            least += (2 if wide else 1) * (max(1, needed) if gpu.amd else needed)
    return least


def count(places, cases):
    """Passes of each case by the place of each element, or None if the layout tears a lane's bytes apart."""
    found = []
    for gpu, access, requests in cases:
        op = "store" if access.op == "copy" else access.op
        rule = gpu.service(op, access.bytes), gpu.conflict_key(op, access.bytes)
        alignment = 4 if access.bytes == 12 else access.bytes
        total = 0
        for request in requests:
            addresses = [lane if lane is None else places[lane] * access.element for lane in request]
            for lane in request:
                if lane is not None and (places[lane] * access.element % alignment or any(
                        places[lane + k] != places[lane] + k for k in range(1, access.step))):
                    return None
            total += copy_passes(access, request, addresses) if access.op == "copy" else passes(gpu, access, addresses, rule)
        found.append(total)
    return found


def compare(lanes, gpus, folder, size, element, accesses, names):
    rows, columns = map(int, size.split("x"))
    texts = [access.replace("@", f"@{folder}/") for access in accesses.split()]
    command = [lanes, "--layout", size, "--width", str(element), "--gpu", names.replace(" ", ","), "--json", "-"]
    for text in texts:
        command += ["--access", text]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        return f"{' '.join(command)}: status {run.returncode}: {run.stderr}"
    answer = json.loads(run.stdout)
    parsed = [Access(text, rows, columns, element, folder) for text in accesses.split()]
    cases = [(gpus[name], access, access.requests(gpus[name].lanes) if access.exists(gpus[name]) else [])
             for access in parsed for name in names.split()]
    least = [sum(least_passes(gpu, access, request) for request in requests) for gpu, access, requests in cases]
    if [case["least"] for case in answer["cases"]] != least:
        return f"{command}: the least passes are {least}"
    expected = {}
    space = layouts(rows, columns)
    for layout in space:
        places = [place_of(layout, columns, *divmod(index, columns)) for index in range(rows * columns)]
        counted = count(places, cases)
        if counted:
            expected[name_of(layout)] = (places, counted)
    if answer["space"] != len(space) or len(answer["layouts"]) != len(expected):
        return f"{command}: {len(space)} layouts, of which {len(expected)} are possible"
    for found in answer["layouts"]:
        places, counted = expected[found["name"]]
        if found["passes"] != counted:
            return f"{command}: {found['name']}: {found['passes']}, expected {counted}"
        index = eval(f"lambda row, column: {found['index']}")
        if [index(row, column) for row in range(rows) for column in range(columns)] != places:
            return f"{command}: {found['name']}: {found['index']}"
        if found["free"] != (counted == least):
            return f"{command}: {found['name']} is not {found['free']}"
        if len(set(places)) != rows * columns or max(places) * element >= found["bytes"]:
            return f"{command}: {found['name']}: {found['bytes']} bytes do not hold it"
        if "vec" in found:
            vec, per, most = found["vec"], found["per_phase"], found["max_phase"]
            if [(column // vec ^ row // per % most) * vec + column % vec + row * columns
                    for row in range(rows) for column in range(columns)] != places:
                return f"{command}: {found['name']} is another swizzle in Triton"
    best = min(sum(counted) for _, counted in expected.values())
    if sum(answer["layouts"][0]["passes"]) != best:
        return f"{command}: the best takes {best} passes"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lanes", default="build/lanes", help="the program (build/lanes)")
    parser.add_argument("--folder", required=True, help="for files of addresses")
    parser.add_argument("--all", action="store_true", help="more tiles and GPUs")
    arguments = parser.parse_args()
    listing = subprocess.run([arguments.lanes, "--list-gpus"], capture_output=True, text=True, check=True).stdout
    gpus = {gpu.name: gpu for gpu in (rules.Gpu(*line.split(None, 2)) for line in listing.splitlines())}
    write_addresses(arguments.folder)
    tiles = SMALL + MORE if arguments.all else SMALL
    for tile in tiles:
        difference = compare(arguments.lanes, gpus, arguments.folder, *tile)
        if difference:
            sys.exit(difference)
    print(f"{len(tiles)} tiles agree")


if __name__ == "__main__":
    main()

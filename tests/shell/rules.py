#!/usr/bin/env python3
"""The memory rules a second time, written from their description (docs/model.md) and not from the C of model/.

    python3 tests/shell/rules.py --lanes build/lanes --requests 1000000

feeds random requests through lanes, for every GPU, both spaces, loads and stores and all widths, and compares every
column of every row. Needs no package.
"""

import argparse
import multiprocessing
import random
import resource
import subprocess
import sys
import time

COLUMNS = ("gpu,space,op,width_bytes,active_lanes,passes,bank_conflicts,sector_bytes,sectors,lines,unique_bytes,"
           "efficiency_pct,certainty,stride,offset,l1_clocks")
WIDTHS = (1, 2, 4, 8, 12, 16)


def runs(lanes, size):
    """Lanes served together where they are runs of consecutive lanes."""
    return [list(range(first, first + size)) for first in range(0, lanes, size)]


def spans(text, lanes):
    """Groups written as in the documents, per half of 32 lanes: '0-3 20-23 | 4-7 16-19'."""
    groups = []
    for half in range(0, lanes, 32):
        for group in text.split("|"):
            members = []
            for span in group.split():
                first, last = map(int, span.split("-"))
                members += range(half + first, half + last + 1)
            groups.append(members)
    return groups


SWIZZLED = "0-3 20-23 | 4-7 16-19 | 8-11 28-31 | 12-15 24-27"
SWIZZLED_B = "0-3 12-15 20-27 | 4-11 16-19 28-31"


def nvidia(major, op, width):
    """(groups, merged groups, certainty, certainty when merged) from Maxwell to Blackwell."""
    merged_is = "certain" if op == "load" and (major < 80 or major == 90) else "open"
    if op == "store" and major == 90 and width in (8, 16):
        return runs(32, 128 // width), None, "certain", None
    if width <= 4:
        return runs(32, 32), None, "certain", None
    if width == 12:
        return runs(32, 32), None, "certain", None
    if width == 8:
        return runs(32, 16), runs(32, 32), "certain", merged_is
    return runs(32, 8), runs(32, 16), "certain", merged_is


def amd(arch, op, width):
    if arch in ("gfx1030", "gfx1100", "gfx1101", "gfx1151", "gfx1201"):
        sure = "guess" if width == 12 or op == "store" and width == 16 or arch == "gfx1030" else "certain"
        if width >= 12 and op == "load" and arch != "gfx1201":
            return spans(SWIZZLED, 32), None, sure, None
        return runs(32, {8: 16, 12: 8, 16: 8}.get(width, 32)), None, sure, None
    sure = {"gfx906": "guess", "gfx908": "guess", "gfx90a": "certain", "gfx942": "certain", "gfx950": "certain"}[arch]
    if arch == "gfx950" and op == "load":
        if width <= 4:
            return runs(64, 32), None, "open", None
        if width == 12:
            return spans(SWIZZLED, 64), None, "open", None
        return (runs(64, 32) if width == 8 else spans(SWIZZLED_B, 64)), None, "open" if width == 8 else sure, None
    if width == 12:
        sure = "guess" if op == "store" or sure == "guess" else "open"
    elif arch == "gfx950" and width > 4:
        sure = "open"
    if width >= 12 and op == "load":
        return spans(SWIZZLED, 64), None, sure, None
    return runs(64, {8: 16, 12: 8, 16: 8}.get(width, 32)), None, sure, None


class Gpu:
    def __init__(self, name, arch, title):
        self.name, self.arch = name, arch
        self.amd = arch.startswith("gfx")
        self.lanes = 64 if arch.startswith("gfx9") else 32
        self.kepler = 0
        if arch.startswith("sm_3"):
            self.kepler = 8 if "8-byte" in title else 4
        if not self.amd:
            self.sector, self.line = 32, 128
        else:
            self.sector = self.line = 64 if arch in ("gfx906", "gfx908", "gfx90a") else 128
        # What a pass can carry: each bank its 4 bytes; Kepler's give 8.
        self.pass_bytes = 256 if self.kepler else 128
        # GPUs of one group follow the same rules, which know nothing else of a GPU.
        self.group = (arch, self.kepler)

    def service(self, op, width):
        if self.kepler:
            return runs(32, 32), None, "guess" if width == 16 else "certain", None
        if self.amd:
            return amd(self.arch, op, width)
        return nvidia(int(self.arch[3:]), op, width)

    def conflict_key(self, op, width):
        """A function from a byte address to (bank, what of it one pass can give)."""
        if self.kepler == 4:
            return lambda byte: (byte // 4 % 32, byte // 256)
        if self.kepler == 8:
            return lambda byte: (byte // 8 % 32, byte // 8)
        if self.arch == "gfx950" and op == "load" and width in (8, 16):
            return lambda byte: (byte // 4 % 64, byte // 4)
        return lambda byte: (byte // 4 % 32, byte // 4)


def pair_condition(addresses):
    for bit in (1, 2):
        if all(address is None or addresses[lane ^ bit] is None or address == addresses[lane ^ bit]
               for lane, address in enumerate(addresses)):
            return True
    return False


def passes_of(group, addresses, width, key):
    wanted = {}
    for lane in group:
        address = addresses[lane]
        if address is None:
            continue
        for byte in range(address, address + width, 4):
            bank, word = key(byte)
            if bank in wanted:
                wanted[bank].add(word)
            else:
                wanted[bank] = {word}
    return max(map(len, wanted.values()), default=0)


def percent(part, whole):
    return f"{100 * part / whole:.2f}" if whole else ""


def unique_bytes(addresses, width):
    """Distinct bytes: accesses are aligned to their width, those of 12 bytes to 4."""
    unit = 4 if width == 12 else width
    return unit * len({at for address in addresses if address is not None
                       for at in range(address, address + width, unit)})


def shared_passes(gpu, op, width, addresses, service, key):
    """Returns (passes, conflicts, certainty)."""
    groups, merged_groups, certainty, merged_certainty = service
    if merged_groups and pair_condition(addresses):
        groups, certainty = merged_groups, merged_certainty
    passes = conflicts = 0
    clocks = 2 if gpu.arch == "gfx950" and op == "load" and width in (8, 16) else 1
    # NVIDIA makes three accesses of one of 12 bytes.
    for offset in (0, 4, 8) if width == 12 and not gpu.amd else (0,):
        piece = [address if address is None else address + offset for address in addresses]
        for group in groups:
            needed = passes_of(group, piece, 4 if width == 12 and not gpu.amd else width, key)
            conflicts += max(0, needed - 1)
            passes += clocks * max(1, needed) if gpu.amd else needed
    return passes, conflicts, certainty


def shared_row(gpu, op, width, addresses, service, key):
    passes, conflicts, certainty = shared_passes(gpu, op, width, addresses, service, key)
    unique = unique_bytes(addresses, width)
    active = [address for address in addresses if address is not None]
    return (f"shared,{op},{width},{len(active)},{passes},{conflicts},,,,{unique},"
            f"{percent(unique, gpu.pass_bytes * passes)},{certainty},,,")


def most(counts):
    return max(counts.values(), default=0)


def tag_bank(gpu, line):
    if gpu.amd:
        return line % 4
    bank = 0
    for digit in range(6):
        value = line >> 2 * digit & 3
        bank ^= (value >> 1 | value << 1) & 3 if gpu.arch == "sm_90" and digit == 2 else value
    return bank


def busiest_tags(gpu, addresses, width):
    banks = {}
    for line in {byte // gpu.line for address in addresses for byte in (address, address + width - 1)}:
        banks[tag_bank(gpu, line)] = banks.get(tag_bank(gpu, line), 0) + 1
    return most(banks)


def busiest_words(addresses, width, banks):
    found = {}
    for word in {byte // 4 for address in addresses for byte in range(address, address + width)}:
        found[word % banks] = found.get(word % banks, 0) + 1
    return most(found)


def is_plain(run, width):
    present = [(lane, address) for lane, address in enumerate(run) if address is not None]
    return (len({address // 4 for _, address in present}) <= 1 or
            len({address - lane * width for lane, address in present}) <= 1)


def l1_clocks(gpu, op, width, addresses):
    active = [address for address in addresses if address is not None]
    if not gpu.amd and op == "load":
        groups, merged_groups, *_ = gpu.service(op, width)
        groups = merged_groups if merged_groups and pair_condition(addresses) else groups
        key = gpu.conflict_key(op, width)
        pieces = [(0, width)] if width != 12 else [(0, 4), (4, 4), (8, 4)]
        moved = [([address if address is None else address + at for address in addresses], size) for at, size in pieces]
        data = max(width // 4, sum(passes_of(group, piece, size, key) for piece, size in moved for group in groups))
        return max(data, busiest_tags(gpu, active, width))
    if not gpu.amd:
        touched = [address + at for address in active for at in range(0, width, 4)]
        return max(len({address // 128 for address in touched}), -(-len({address // 32 for address in touched}) // 2))
    together, clocks = 32 if gpu.lanes == 32 else 16, 0
    for first in range(0, gpu.lanes, together):
        part = addresses[first:first + together]
        if width <= 4 and all(is_plain(part[lane:lane + 4], width) for lane in range(0, together, 4)):
            clocks += busiest_tags(gpu, [address for address in part if address is not None], width)
            continue
        for quad in range(together // 4):
            four = part[quad::together // 4] if width <= 4 else part[4 * quad:4 * quad + 4]
            four = [address for address in four if address is not None]
            clocks += max(busiest_tags(gpu, four, width), busiest_words(four, width, together))
    return clocks


def global_row(gpu, op, width, addresses):
    active = [address for address in addresses if address is not None]
    sector = 64 if gpu.amd and op == "store" else gpu.sector
    touched = [address + at for address in active for at in range(0, width, 4)]
    sectors = len({address // sector for address in touched})
    lines = len({address // gpu.line for address in touched})
    unique = unique_bytes(addresses, width)
    return (f"global,{op},{width},{len(active)},,,{sector},{sectors},{lines},{unique},"
            f"{percent(len(active) * width, sector * sectors)},,,,{l1_clocks(gpu, op, width, addresses)}")


def random_addresses(pick, lanes, width):
    """One request: scattered, crowded, strided, shared by partners, or one address; often some lanes off."""
    def below(bound):
        return int(pick.random() * bound)  # a quarter of randrange's time

    kind = below(6)
    if kind == 0:
        elements = [below(16384) for _ in range(lanes)]
    elif kind == 1:
        elements = [below(2 << below(9)) for _ in range(lanes)]
    elif kind == 2:
        stride, offset = below(70), below(1000)
        elements = [offset + stride * lane for lane in range(lanes)]
    elif kind == 3:
        bit = 1 << below(5)
        elements = [below(2048) for _ in range(lanes)]
        elements = [elements[lane & ~bit] for lane in range(lanes)]
        if below(2):
            elements[below(lanes)] = 7
    elif kind == 4:
        columns, pitch = 1 << below(6), 1 + below(69)
        elements = [lane // columns * pitch + lane % columns for lane in range(lanes)]
    else:
        far = pick.getrandbits(58)
        elements = [far + below(64) for _ in range(lanes)]
    addresses = [element * width for element in elements]
    if width == 12 and below(2):
        addresses = [address + 4 * below(3) for address in addresses]
    off = below(4)
    if off == 0:
        mask = pick.getrandbits(lanes) | (pick.getrandbits(lanes) if below(2) else 0)
        addresses = [address if mask >> lane & 1 else None for lane, address in enumerate(addresses)]
    elif off == 1:
        alive = below(lanes + 1)
        addresses = [address if lane < alive else None for lane, address in enumerate(addresses)]
    return addresses


def children_seconds():
    """Processor time of the programs that this process has waited for: what else runs does not count."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_lanes(command, text):
    """Returns (rows without their head, processor time, what went wrong or None)."""
    begin = children_seconds()
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    seconds = children_seconds() - begin
    found = run.stdout.splitlines()
    if run.returncode or not found or found[0] != COLUMNS or len(found) != text.count("\n") + 1:
        return [], seconds, f"{' '.join(command)}: status {run.returncode}, {len(found)} lines: {run.stderr.strip()}"
    return found[1:], seconds, None


def compare(job):
    """Runs one combination on the GPUs of a group, for which the rules are applied once.

    Returns (rows, seconds in lanes, seconds of the rules here for as many rows, what differs or None)."""
    lanes_program, gpus, space, op, width, count, seed = job
    gpu = gpus[0]
    pick = random.Random(f"{seed} {gpu.name} {space} {op} {width}")
    requests = [random_addresses(pick, gpu.lanes, width) for _ in range(count)]
    text = "".join(" ".join("." if a is None else str(a) for a in request) + "\n" for request in requests)
    service, key = gpu.service(op, width), gpu.conflict_key(op, width)
    begin = time.process_time()
    if space == "shared":
        expected = [shared_row(gpu, op, width, request, service, key) for request in requests]
    else:
        expected = [global_row(gpu, op, width, request) for request in requests]
    own_seconds = time.process_time() - begin
    seconds = 0
    for each in gpus:
        command = [lanes_program, "--gpu", each.name, "--space", space, "--op", op, "--width", str(width), "--addresses",
                   "-", "--csv", "-"]
        found, spent, difference = run_lanes(command, text)
        seconds += spent
        for request, row, found_row in zip(requests, expected, found):
            if found_row != f"{each.name},{row}":
                difference = f"{COLUMNS}\nexpected {each.name},{row}\nfound    {found_row}\naddresses {request}"
                break
        if difference:
            return 0, seconds, 0, difference
    return count * len(gpus), seconds, own_seconds * len(gpus), None


def start_seconds(lanes_program):
    """Processor time of a start, which is not that of requests: with each GPU of the table there are more starts."""
    starts = 50
    begin = children_seconds()
    for _ in range(starts):
        subprocess.run([lanes_program, "--version"], capture_output=True, check=True)
    return (children_seconds() - begin) / starts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lanes", default="build/lanes", help="the program (build/lanes)")
    parser.add_argument("--requests", type=int, default=1000000, help="how many in all (1000000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    arguments = parser.parse_args()

    listing = subprocess.run([arguments.lanes, "--list-gpus"], capture_output=True, text=True, check=True).stdout
    gpus = [Gpu(*line.split(None, 2)) for line in listing.splitlines()]
    groups = {}
    for gpu in gpus:
        groups.setdefault(gpu.group, []).append(gpu)
    combinations = [(group, space, op, width) for group in groups.values() for space in ("shared", "global")
                    for op in ("load", "store") for width in WIDTHS]
    starts = sum(len(group) for group, *_ in combinations)
    count = -(-arguments.requests // starts)
    jobs = [(arguments.lanes, *combination, count, arguments.seed) for combination in combinations]
    rows = seconds = own_seconds = 0
    with multiprocessing.Pool(arguments.jobs) as pool:
        for done, spent, own, difference in pool.imap_unordered(compare, jobs):
            if difference:
                pool.terminate()
                sys.exit(difference)
            rows += done
            seconds += spent
            own_seconds += own
    seconds = max(0, seconds - starts * start_seconds(arguments.lanes))
    print(f"{rows} requests on {len(gpus)} GPUs agree; {seconds:.1f} s in lanes, {own_seconds:.1f} s here")


if __name__ == "__main__":
    main()

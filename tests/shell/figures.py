#!/usr/bin/env python3
"""Each figure that a page states, held against the rows that it follows from.

    python3 tests/shell/figures.py [--listed] tests/shell/figures.txt PAGE...

With --listed, figures that the table does not list are not asked for.

A figure is a number with a unit of UNITS behind it, or one below such a unit in the head of a table. A list of numbers
shares its unit: `35 and 40 GB/s` is two figures. Code is left out. The table's lines are

    PAGE                                      the page that the lines below are about
    FIGURE = EXPRESSION                       what the page states, and how it follows
    NAME: COMMAND                             rows of the model, made by this command (CSV on standard output)

and an EXPRESSION is arithmetic on selections `[FILE COLUMN=VALUE ... | VALUE]`. FILE lies in results/ or is a NAME. VALUE
is a column or arithmetic on columns; a selection that takes several rows says which: `[max FILE ...]`, `min`, `median`
or `count`. A condition may be COLUMN<NUMBER, COLUMN>NUMBER, COLUMN!=VALUE or COLUMN~REGULAR EXPRESSION, and VALUE may be
a list, A,B. A figure must be what follows, rounded to the figure's last digit.
"""

import csv
import re
import statistics
import subprocess
import sys

NUMBER = r"\d+(?:\.\d+)?"
UNITS = r"GB/s|TB/s|GOP/s|bytes\s(?:a|per)\sclock|B/clk|clocks?|cycles?|ns|us|ms|%|per cent|percent|times|pJ"
FIGURES = re.compile(rf"(?<![\w.^-])({NUMBER}(?:(?:,\s|\s(?:to|and|or|against|in place of)\s)\**{NUMBER})*)\**\s?({UNITS})(?![\w/])")
AGGREGATES = {"min": min, "max": max, "median": statistics.median, "count": len}
cache = {}
commands = {}


def prose(text):
    """Lines without code, each with its number; a table's cells get the unit that their column's head ends with."""
    fenced, heads = False, []
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            pass
        elif line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            heads = heads or [re.search(rf"(?:^|[ ,(])({UNITS})$", cell) for cell in cells]
            for cell, head in zip(cells, heads):
                yield number, cell + (" " + head.group(1) if head and re.fullmatch(NUMBER, cell) else "")
        else:
            heads = []
            yield number, re.sub(r"`[^`]*`", "", line)


def stated(page):
    lines = list(prose(open(page, encoding="utf-8").read()))
    text = "\n".join(line for _, line in lines)  # a list of numbers may go on in the next line
    for match in FIGURES.finditer(text):
        numbers, unit = match.groups()
        for value in re.findall(NUMBER, numbers):
            yield lines[text.count("\n", 0, match.start())][0], f"{value} {' '.join(unit.split())}"


def rows_of(name):
    if name not in cache:
        if name in commands:
            out = subprocess.run(commands[name], shell=True, check=True, capture_output=True, text=True).stdout
            lines = out.split("\n")
        else:
            lines = open(f"results/{name}", encoding="utf-8").read().split("\n")
        cache[name] = list(csv.DictReader(line for line in lines if line and not line.startswith("#")))
    return cache[name]


def holds(row, condition):
    column, operator, wanted = re.fullmatch(r"(\w+)(!=|=|<|>|~)(.*)", condition).groups()
    found = row[column]
    if operator in "<>":
        return found != "" and (float(found) < float(wanted) if operator == "<" else float(found) > float(wanted))
    if operator == "~":
        return re.search(wanted, found) is not None
    return (found in wanted.split(",")) == (operator == "=")


def select(text):
    conditions, value = text.rsplit("|", 1)
    words = conditions.split()
    aggregate = AGGREGATES.get(words[0])
    name, *conditions = words[1:] if aggregate else words
    rows = [row for row in rows_of(name) if all(holds(row, condition) for condition in conditions)]
    columns = set(re.findall(r"[a-z]\w*", value)) - {"abs"}
    rows = [row for row in rows if all(row[column] != "" for column in columns)]
    values = [eval(value, {"__builtins__": {}, "abs": abs}, {c: float(row[c]) for c in columns}) for row in rows]
    if not values or (not aggregate and len(set(values)) != 1):
        raise ValueError(f"[{text}] takes {len(values)} rows")
    return (aggregate or min)(values)


def follows(expression):
    return eval(re.sub(r"\[([^\]]+)\]", lambda match: repr(float(select(match.group(1)))), expression), {"__builtins__": {}})


def rounds_to(figure, value):
    """Half a unit of the last digit, and as much as a real number may be off."""
    number = figure.split()[0]
    places = len(number.split(".")[1]) if "." in number else 0
    return abs(value - float(number)) <= 0.5 * 10 ** -places * (1 + 1e-9)


def read_table(path):
    table, page = {}, None
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if " = " in line:
            figure, expression = line.split(" = ", 1)
            table.setdefault(page, {}).setdefault(figure.strip(), []).append(expression)
        elif re.match(r"[\w-]+: ", line):
            name, commands[name] = line.split(": ", 1)
        elif line and not line.startswith("#"):
            page = line
    return table


def wrong(figure, expression):
    """Why the figure does not follow, or nothing."""
    try:
        value = follows(expression)
    except (ValueError, KeyError, OSError, ZeroDivisionError, subprocess.CalledProcessError) as error:
        return f"{figure}: {expression}: {error!r}"
    return None if rounds_to(figure, value) else f"{figure}: the rows give {value:.6g}: {expression}"


def main():
    some = sys.argv[1] == "--listed"
    path, *pages = sys.argv[1 + some :]
    table, faults = read_table(path), []
    for page in pages:
        listed, found = table.get(page, {}), set()
        for number, figure in stated(page):
            found.add(figure)
            if figure not in listed and not some:
                faults.append(f"{page}:{number}: {figure}: nothing that it follows from is listed")
        for figure, expressions in listed.items():
            if figure not in found:
                faults.append(f"{page}: {figure} is listed, but not stated")
            faults += [f"{page}: {why}" for why in (wrong(figure, e) for e in expressions) if why]
    print("\n".join(faults))
    return 1 if faults else 0


sys.exit(main())

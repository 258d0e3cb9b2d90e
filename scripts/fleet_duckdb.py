#!/usr/bin/env python3
"""What bankshot judge finds, by DuckDB, and a fleet's rows as Parquet for questions of your own.

    python3 scripts/fleet_duckdb.py --keys "$(bankshot gmem --explain keys)" [--parquet FILE] [--threshold PERCENT] FOLDER ... >rows.csv

Prints each row that stands out, in the columns of judge --csv. Needs the package duckdb. docs/fleet.md says when it is of use.
"""

import argparse
import csv
import os
import signal
import statistics
import sys

import duckdb

FALSE_ALARMS = 0.01  # of a fleet without a fault
TOO_FEW = 5          # GPUs, of which a median says nothing about one
LEAST_SPREAD = 0.002
FIGURES = [("latency_ns", "ns", True), ("one_way_gb_s", "GB/s", False), ("gop_s", "GOP/s", False), ("bandwidth_gb_s", "GB/s", False),
           ("time_ns_median", "ns", True)]  # what rows are compared by: the first that a row has; True: the less, the faster
NAMED = ["op", "width_bytes", "stride", "footprint_bytes", "vertices", "from", "to", "direction"]

# A group has the rows of one model's GPUs that ran the same.
JUDGE = """
WITH groups AS (
    SELECT work, count(*) AS rows, median(cost) AS expected_cost, greatest(1.4826 * mad(cost), {least} * median(cost)) AS spread
    FROM fleet GROUP BY work)
SELECT host, gpu, device, {name} AS row, CASE WHEN unit = 'ns' THEN cost ELSE 1 / cost END AS figure,
    CASE WHEN unit = 'ns' THEN expected_cost ELSE 1 / expected_cost END AS expected, unit,
    100 * (cost / expected_cost - 1) AS longer_pct, 100 * spread / expected_cost AS spread_pct
FROM fleet JOIN groups USING (work)
WHERE rows >= {few} AND abs(cost - expected_cost) > greatest({deviations} * spread, {threshold} * expected_cost)
ORDER BY host, gpu, row
"""


def quoted(column):
    return f'"{column}"'


def row_name(columns):
    """The row's name as SQL, put together as judge does."""
    text = "probe || ' ' || variant"
    if "kernel" in columns:
        text += " || CASE WHEN coalesce(kernel, 'all') = 'all' THEN '' ELSE ' ' || kernel END"
    for column in (column for column in NAMED if column in columns):
        shown = f"', {'' if column in ('op', 'direction') else column + ' '}' || {quoted(column)}"
        hidden = {"op": "op = variant", "footprint_bytes": "probe NOT IN ('levels', 'links')"}.get(column, "FALSE")
        text += f" || CASE WHEN {quoted(column)} IS NULL OR {hidden} THEN '' ELSE {shown} END"
    return text


def read(connection, folders, keys):
    """The table fleet of all rows that were measured; their texts stay texts, so that 08 and 8 are not the same."""
    files = [os.path.join(folder, "*", "*", "*.csv") for folder in folders]
    listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
    connection.execute(f"CREATE VIEW files AS SELECT * FROM read_csv([{listed}], comment = '#', header = true, "
                       "all_varchar = true, union_by_name = true, filename = true)")
    columns = [row[0] for row in connection.execute("DESCRIBE files").fetchall()]
    figures = [figure for figure in FIGURES if figure[0] in columns]
    if not figures or not {"probe", "variant", "device"} <= set(columns):
        sys.exit("fleet_duckdb: the files have no rows of bankshot's: name a folder that bankshot fleet wrote")
    measured = "coalesce(source, '') NOT IN ('predicted', 'simulated')" if "source" in columns else "TRUE"
    work = ", ".join(f"coalesce({quoted(key)}, '')" for key in ["device"] + [key for key in keys if key in columns])
    value = {name: f"nullif(greatest(coalesce(try_cast({name} AS DOUBLE), 0), 0), 0)" for name, _, _ in figures}
    cost = ", ".join(value[name] if less else f"1 / {value[name]}" for name, _, less in figures)
    unit = " ".join(f"WHEN {value[name]} > 0 THEN '{unit}'" for name, unit, _ in figures)
    kind = " ".join(f"WHEN {value[name]} > 0 THEN '{name}'" for name, _, _ in figures)
    connection.execute(f"""CREATE TABLE fleet AS SELECT * EXCLUDE filename, coalesce({cost}) AS cost, CASE {unit} END AS unit,
        concat_ws(chr(31), {work}, CASE {kind} END) AS work, split_part(filename, '/', -3) AS host,
        split_part(filename, '/', -2) AS gpu FROM files WHERE coalesce({cost}) > 0 AND {measured}""")
    return columns


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--keys", required=True, help="the columns that say what was run, as gmem --explain keys prints them")
    parser.add_argument("--parquet", help="write the rows to this file, too")
    parser.add_argument("--threshold", type=float, default=3, help="a difference in per cent that does not matter (3)")
    options = parser.parse_args()
    connection = duckdb.connect()
    try:
        columns = read(connection, options.folders, options.keys.split())
    except duckdb.Error as error:
        sys.exit(f"fleet_duckdb: {str(error).splitlines()[0]}")
    rows = connection.execute("SELECT count(*) FROM fleet").fetchone()[0]
    if options.parquet:
        path = options.parquet.replace("'", "''")
        connection.execute(f"COPY fleet TO '{path}' (FORMAT parquet)")
    deviations = statistics.NormalDist().inv_cdf(1 - FALSE_ALARMS / rows / 2) if rows else 0
    query = JUDGE.format(name=row_name(columns), least=LEAST_SPREAD, few=TOO_FEW,
                         deviations=deviations, threshold=options.threshold / 100)
    found = connection.execute(query)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader that ends early, such as head, is no fault
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(column[0] for column in found.description)
    writer.writerows(found.fetchall())


if __name__ == "__main__":
    main()

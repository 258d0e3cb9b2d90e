# Checks a JSON file of rows: against the schema, its rows against its columns, and everything against the CSV of the same run.
#     python3 tests/shell/rows_json.py FILE.json [FILE.csv]
import csv
import json
import sys

KINDS = {"string": str, "integer": int, "number": (int, float)}


def without_repeats(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"a key occurs twice: {sorted(keys)}"
    return dict(pairs)


def check_schema(document):
    """By jsonschema where it is installed, else what the schema says of the structure alone."""
    try:
        import jsonschema
    except ImportError:
        assert set(document) == {"metadata", "columns", "rows"}
        assert all(isinstance(value, str) for value in document["metadata"].values())
        assert all(set(column) == {"name", "type", "unit"} for column in document["columns"])
        return
    with open("docs/rows.schema.json") as file:
        jsonschema.validate(document, json.load(file))


def check_rows(document):
    types = {column["name"]: column["type"] for column in document["columns"]}
    for row in document["rows"]:
        for name, value in row.items():
            assert isinstance(value, KINDS[types[name]]), f"{name} is {value!r}, not of type {types[name]}"


def check_csv(document, path):
    with open(path, newline="") as file:
        lines = list(file)
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    assert [column["name"] for column in document["columns"]] == list(rows[0]), "the columns differ from the CSV's"
    assert len(rows) == len(document["rows"]), "the numbers of rows differ"
    for from_csv, from_json in zip(rows, document["rows"]):
        known = {name: field for name, field in from_csv.items() if field}
        assert list(known) == list(from_json), "a row has other fields than in the CSV"
        for name, field in known.items():
            value = from_json[name]
            assert field == value if isinstance(value, str) else float(field) == value, f"{name}: {field} and {value}"
    for line in lines:
        if line.startswith("# "):
            key, value = line[2:].rstrip("\n").split(": ", 1)
            assert document["metadata"][key] == value, f"{key}: {value} and {document['metadata'][key]}"


with open(sys.argv[1]) as source:
    content = json.load(source, object_pairs_hook=without_repeats)
check_schema(content)
check_rows(content)
if len(sys.argv) > 2:
    check_csv(content, sys.argv[2])
print(len(content["rows"]))

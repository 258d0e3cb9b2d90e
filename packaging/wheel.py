"""Packs a folder with scripts/ and data/ as a wheel: python3 wheel.py FOLDER bankshot-VERSION-py3-none-PLATFORM.whl

The format is that of PyPA's "Binary distribution format": a zip with the files, their list with digests, and the metadata. pip puts
scripts/ into the environment's bin and data/ into its root. All entries have SOURCE_DATE_EPOCH as their time.
"""
import base64
import hashlib
import os
import sys
import time
import zipfile

SUMMARY = "How a GPU's memory behaves, and why: microbenchmarks, a simulator and a model"


def entries(folder, root):
    """Name in the wheel, mode and content of each file, in order. A link becomes a copy, because a zip for pip has no links."""
    for path, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            file = os.path.join(path, name)
            with open(file, "rb") as stream:
                yield f"{root}/{os.path.relpath(file, folder)}", os.stat(file).st_mode & 0o777, stream.read()


def metadata(name, version, tag):
    """The files of dist-info but RECORD."""
    with open("README.md", encoding="utf-8") as page:
        readme = page.read()
    with open("LICENSE", "rb") as text:
        license_text = text.read()
    head = (f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: {SUMMARY}\nLicense: MIT\n"
            "Keywords: GPU,memory,microbenchmark,simulator,HPC\nRequires-Python: >=3\n"
            "Classifier: Operating System :: POSIX :: Linux\nClassifier: Topic :: System :: Benchmark\n"
            "Description-Content-Type: text/markdown\n\n")
    yield "METADATA", (head + readme).encode()
    yield "WHEEL", f"Wheel-Version: 1.0\nGenerator: bankshot {version}\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    yield "LICENSE", license_text


def main():
    folder, wheel = sys.argv[1:]
    name, version, tag = os.path.basename(wheel)[: -len(".whl")].split("-", 2)
    date = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]  # a zip's time begins in 1980
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:

        def add(path, mode, content):
            info = zipfile.ZipInfo(path, date)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100000 | mode) << 16
            archive.writestr(info, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            record.append(f"{path},sha256={digest},{len(content)}\n")

        for entry in entries(folder, f"{name}-{version}.data"):
            add(*entry)
        info = f"{name}-{version}.dist-info"
        for path, content in metadata(name, version, tag):
            add(f"{info}/{path}", 0o644, content)
        archive.writestr(zipfile.ZipInfo(f"{info}/RECORD", date), "".join(record) + f"{info}/RECORD,,\n")


main()

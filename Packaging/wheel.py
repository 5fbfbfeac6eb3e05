"""Makes a wheel that holds the binary, so that pip and uv install it: wheel.py BINARY VERSION GLIBC FOLDER.

Prints the wheel's path. Format: https://packaging.python.org/en/latest/specifications/binary-distribution-format/
"""

import base64
import hashlib
import os
import platform
import sys
import time
import zipfile
from pathlib import Path

binary, version, glibc, folder = Path(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])
root = Path(__file__).resolve().parent.parent
# A version that is not released yet sorts before it: 1.2.3~git202611261200.abcdef is 1.2.3.dev202611261200.
release, _, snapshot = version.partition("~git")
version = f"{release}.dev{snapshot.partition('.')[0]}" if snapshot else release
# The oldest C library that it runs with: https://peps.python.org/pep-0600/
tag = f"py3-none-manylinux_{glibc.replace('.', '_')}_{platform.machine()}"
info = f"feedsync-{version}.dist-info"
metadata = f"""Metadata-Version: 2.1
Name: feedsync
Version: {version}
Summary: Mirrors paginated HTTP feeds into SQLite or PostgreSQL
License: MIT
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Database
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{(root / "README.md").read_text()}"""
files = {
    f"feedsync-{version}.data/scripts/feedsync": binary.read_bytes(),
    f"{info}/LICENSE": (root / "LICENSE").read_bytes(),
    f"{info}/METADATA": metadata.encode(),
    f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: feedsync\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
}
record = ""
for name, content in files.items():
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    record += f"{name},sha256={digest},{len(content)}\n"
files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()

wheel = folder / f"feedsync-{version}-{tag}.whl"
# The same commit makes the same bytes. A zip file knows no time before 1980.
moment = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for name, content in files.items():
        entry = zipfile.ZipInfo(name, moment)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
        archive.writestr(entry, content)
print(wheel)

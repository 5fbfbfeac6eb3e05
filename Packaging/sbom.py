"""Prints what the packages of a version contain, as an SPDX document: sbom.py VERSION LINKED DEB.

LINKED is `SOURCE/VERSION,...` of Debian's sources that are linked in. The libraries that the package depends on have no
version, as the system updates them. Format: https://spdx.github.io/spdx-spec/v2.3/
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

version, linked, deb = sys.argv[1], sys.argv[2], Path(sys.argv[3])
created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "0"))))


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def package(name, location="NOASSERTION", **members):
    identifier = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)
    return {"SPDXID": identifier, "name": name, "downloadLocation": location, "filesAnalyzed": False, **members}


def debian(name, version=""):
    locator = f"pkg:deb/debian/{name}" + (f"@{version.replace('+', '%2B')}?arch=source" if version else "")
    reference = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}
    return package(name, externalRefs=[reference], **({"versionInfo": version} if version else {}))


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other["SPDXID"]}


digest = hashlib.sha256(deb.read_bytes()).hexdigest()
own = package(
    "feedsync",
    versionInfo=version,
    packageFileName=deb.name,
    checksums=[{"algorithm": "SHA256", "checksumValue": digest}],
)
swift = re.search(r"Swift version ([0-9.]+)", output("swift", "--version"))[1]
inside = [debian(*part.rsplit("/", 1)) for part in linked.split(",") if part]
inside.append(package("swift", "https://www.swift.org/install/linux/", versionInfo=swift))
depends = output("dpkg-deb", "--field", deb, "Depends")
opened = [debian(re.sub(r"[ (|].*", "", part.strip())) for part in depends.split(",")]
document = {
    "spdxVersion": "SPDX-2.3",
    "dataLicense": "CC0-1.0",
    "SPDXID": "SPDXRef-DOCUMENT",
    "name": f"feedsync-{version}",
    "documentNamespace": f"https://spdx.org/spdxdocs/feedsync-{version}-{digest[:16]}",
    "creationInfo": {"created": created, "creators": ["Tool: Scripts-package"]},
    "packages": [own, *inside, *opened],
    "relationships": [
        relation("SPDXRef-DOCUMENT", "DESCRIBES", own),
        *(relation(own["SPDXID"], "STATIC_LINK", part) for part in inside),
        *(relation(own["SPDXID"], "DEPENDS_ON", part) for part in opened),
    ],
}
print(json.dumps(document, indent=2))

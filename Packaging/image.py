"""Writes a container image of one layer, as `docker load` and `podman load` take it: image.py LAYER NAME:TAG ARCHIVE.

LAYER is a tar file of the system's root; the image's settings are those of the Containerfile. Format:
https://github.com/moby/docker-image-spec/blob/main/spec.md
"""

import hashlib
import io
import json
import os
import platform
import sys
import tarfile
import time
from pathlib import Path

layer, name, archive = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
with layer.open("rb") as file:
    digest = hashlib.file_digest(file, "sha256").hexdigest()
moment = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
config = {
    "architecture": {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()],
    "os": "linux",
    "created": created,
    "config": {
        "User": "feedsync",
        "Env": ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "FEEDSYNC_CONFIG=/feeds/feedsync.yaml"],
        "Entrypoint": ["feedsync"],
        "Cmd": ["help"],
        "WorkingDir": "/feeds",
        "Volumes": {"/feeds": {}},
        "ExposedPorts": {"8420/tcp": {}},
    },
    "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
    "history": [{"created": created, "created_by": "Scripts/package"}],
}
text = json.dumps(config).encode()
config_name = f"{hashlib.sha256(text).hexdigest()}.json"
manifest = [{"Config": config_name, "RepoTags": [name], "Layers": [f"{digest}/layer.tar"]}]


def add(tar, path, content):
    entry = tarfile.TarInfo(path)
    entry.size, entry.mtime = len(content), moment
    tar.addfile(entry, io.BytesIO(content))


with tarfile.open(archive, "w:gz", compresslevel=6) as tar:
    add(tar, "manifest.json", json.dumps(manifest).encode())
    add(tar, config_name, text)
    entry = tar.gettarinfo(layer, f"{digest}/layer.tar")
    entry.mtime = moment
    with layer.open("rb") as file:
        tar.addfile(entry, file)

"""Translates connectors, plays each stream against an upstream made from its manifest, and compares the rows that feedsync
has then with those that Airbyte's own reader gets from the same upstream.

usage: play.py FEEDSYNC FOLDER... (each the folder of a connector's package)
"""

import collections
import contextlib
import datetime
import io
import json
import logging
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import yaml
from airbyte_cdk.models import (
    AirbyteStream, ConfiguredAirbyteCatalog, ConfiguredAirbyteStream, DestinationSyncMode, SyncMode, Type,
)
from airbyte_cdk.sources.declarative.concurrent_declarative_source import ConcurrentDeclarativeSource
from airbyte_cdk.sources.declarative.parsers.manifest_component_transformer import ManifestComponentTransformer
from airbyte_cdk.sources.declarative.parsers.manifest_reference_resolver import ManifestReferenceResolver

from upstream import Stream, Upstream

TODAY = datetime.datetime.now(datetime.timezone.utc)
FIRST_DAY = f"{TODAY - datetime.timedelta(days=40):%Y-%m-%d}T00:00:00Z"
LAST_DAY = f"{TODAY:%Y-%m-%d}"
MORE_REQUESTS = 3
logging.disable(logging.CRITICAL)


class Connector:
    """A connector's manifest and a configuration for it; every https in it is http, so that a proxy sees the requests."""

    def __init__(self, folder, work):
        self.name = pathlib.Path(folder).name
        manifest = next(iter(pathlib.Path(folder).glob("**/manifest.yaml")))
        self.folder = pathlib.Path(work) / self.name
        shutil.copytree(manifest.parent, self.folder)
        path = self.folder / "manifest.yaml"
        for file in [path, *self.folder.glob("spec.*")]:
            file.write_text(file.read_text().replace("https://", "http://"))
        self.manifest = yaml.safe_load(path.read_text())
        self.manifest.setdefault("type", "DeclarativeSource")
        self.config, self.settings, self.secrets = {}, [], {}
        self.choose_settings()

    def specification(self):
        spec = self.manifest.get("spec")
        for name in ("spec.yaml", "spec.json"):
            if spec is None and (self.folder / name).exists():
                spec = yaml.safe_load((self.folder / name).read_text())
        spec = spec or {}
        return spec.get("connection_specification") or spec.get("connectionSpecification") or {}

    def choose_settings(self):
        self.fill(self.specification(), self.config, [])

    def fill(self, specification, config, path):
        for name, property in (specification.get("properties") or {}).items():
            if property.get("oneOf"):
                # A token of one's own is what feedsync takes, too.
                choices = sorted(property["oneOf"], key=lambda choice: "refresh_token" in str(choice))
                config[name] = {}
                self.fill(choices[0], config[name], [*path, name])
                continue
            if property.get("type") == "object":
                config[name] = {}
                self.fill(property, config[name], [*path, name])
                continue
            is_required = name in (specification.get("required") or [])
            value = property.get("const", property.get("default"))
            if value is None and property.get("enum"):
                value = property["enum"][0]
            # Years of windows would be read one by one.
            if "date" in name and "end" not in name and property.get("type", "string") == "string":
                value = first_day(property)
            # A default may be a day that is long over.
            if "end" in name and re.match(r"\d{4}-\d\d-\d\d", str(value)):
                value = LAST_DAY + str(value)[10:]
            if value is None and not is_required and not property.get("airbyte_secret"):
                continue
            if value is None:
                value = {"integer": 7, "number": 7, "boolean": False, "array": ["one"]}.get(property.get("type"), f"{name.replace('_', '-')}-1")
            config[name] = value
            dotted = ".".join([*path, name])
            if property.get("airbyte_secret"):
                self.secrets[re.sub(r"[^A-Za-z0-9]", "_", "_".join([*path, name])).upper()] = str(value)
            else:
                text = str(value).lower() if isinstance(value, bool) else ",".join(value) if isinstance(value, list) else str(value)
                self.settings += ["--set", f"{dotted}={text}"]

    def resolved(self):
        plain = ManifestReferenceResolver().preprocess_manifest(json.loads(json.dumps(self.manifest, default=str)))
        return ManifestComponentTransformer().propagate_types_and_parameters("", plain, {})

    def schema(self, stream):
        loader = stream.get("schema_loader") or {}
        loader = loader[0] if isinstance(loader, list) else loader
        if isinstance(loader.get("schema"), dict):
            return loader["schema"]
        name = stream.get("name") or (stream.get("$parameters") or {}).get("name")
        path = self.folder / "schemas" / f"{name}.json"
        schema = json.loads(path.read_text()) if path.exists() else {}
        for shared in re.findall(r'"\$ref": "([^"]+)"', json.dumps(schema)):
            schema = json.loads(json.dumps(schema).replace(json.dumps({"$ref": shared}), '{"type": ["null", "object"]}'))
        return schema


def first_day(property):
    """A recent day, in the form of the setting's example."""
    example = str(next(iter(property.get("examples") or []), ""))
    if re.match(r"\d{4}-\d\d-\d\d", example):
        return FIRST_DAY[:10] + example[10:]
    pattern = str(property.get("pattern") or "T")
    return FIRST_DAY if "T" in pattern else FIRST_DAY[:10]


def streams_of(definition):
    """A stream and its parents, with the members of rows that lists go by."""
    definition = definition.get("full_refresh_stream", definition)
    yield definition, [], []
    routers = (definition.get("retriever") or {}).get("partition_router") or []
    for router in routers if isinstance(routers, list) else [routers]:
        for parent in router.get("parent_stream_configs") or []:
            names = [parent.get("parent_key"), *[field[0] for field in parent.get("extra_fields") or []]]
            above = list(streams_of(parent["stream"]))
            yield above[0][0], names, parent.get("lazy_read_pointer") or []
            yield from above[1:]


def request_options(definition):
    routers = (definition.get("retriever") or {}).get("partition_router") or []
    for router in routers if isinstance(routers, list) else [routers]:
        for part in [router, *(router.get("parent_stream_configs") or [])]:
            if (part.get("request_option") or {}).get("field_name"):
                yield part["request_option"]["field_name"]
    requester = (definition.get("retriever") or {}).get("requester") or {}
    for place in ("request_parameters", "request_body_json"):
        inputs = requester.get(place)
        for name, value in inputs.items() if isinstance(inputs, dict) else []:
            if re.search(r"stream_(partition|slice)(?!.*(start|end)_time)", str(value)):
                yield name


def without_schema_files(part):
    if isinstance(part, list):
        return [without_schema_files(each) for each in part]
    if not isinstance(part, dict):
        return part
    if part.get("type") == "JsonFileSchemaLoader":
        return {"type": "InlineSchemaLoader", "schema": {}}
    return {name: without_schema_files(each) for name, each in part.items()}


def airbyte_rows(connector, resolved, names):
    """The records of each stream, as Airbyte's reader gets them; the error in place of those that it cannot read."""
    manifest = dict(resolved)
    manifest.pop("api_budget", None)
    manifest["streams"] = [stream for stream in resolved["streams"] if stream.get("name") in names]
    manifest["check"] = {"type": "CheckStream", "stream_names": [names[0]]}
    manifest.setdefault("spec", {"type": "Spec", "connection_specification": {"type": "object", "properties": {}}})
    manifest["streams"] = [without_schema_files(stream) for stream in manifest["streams"]]
    rows = {name: [] for name in names}
    catalog = ConfiguredAirbyteCatalog(streams=[
        ConfiguredAirbyteStream(
            stream=AirbyteStream(name=name, json_schema={}, supported_sync_modes=[SyncMode.full_refresh]),
            sync_mode=SyncMode.full_refresh, destination_sync_mode=DestinationSyncMode.overwrite)
        for name in names
    ])
    source = ConcurrentDeclarativeSource(catalog, connector.config, [], source_config=manifest)
    failures = {}
    try:
        for message in source.read(logging.getLogger("x"), connector.config, catalog, []):
            if message.type == Type.RECORD:
                rows[message.record.stream].append(message.record.data)
            elif message.type == Type.TRACE and message.trace.error and message.trace.error.stream_descriptor:
                failures[message.trace.error.stream_descriptor.name] = message.trace.error.internal_message
    except Exception as error:  # noqa: BLE001: it says which streams failed in its text
        said = f"{type(error).__name__}: {getattr(error, 'internal_message', None) or error}"
        for name in names:
            if not rows[name]:
                rows[name] = failures.get(name, said)[-300:]
    return rows


def normal(value, is_time=False):
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float) and value == int(value):
        return int(value)
    if isinstance(value, (dict, list)):
        return json.dumps(value, sort_keys=True)
    if is_time and isinstance(value, str):
        # A time without a zone is one of UTC.
        value += "Z" if re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+", value) else ""
        return re.sub(r"\.0+(?=Z|$)", "", value.replace("+00:00", "Z").replace("+0000", "Z"))
    return value


def stored_rows(database, feed):
    columns = feed["definition"].get("columns") or {}
    table = feed["feed"].replace("-", "_")
    connection = sqlite3.connect(database)
    names = list(columns) or [row[1] for row in connection.execute(f"PRAGMA table_info('{table}')") if row[1][0] != "_"]
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    rows = set()
    types = {name: column.get("type") if isinstance(column, dict) else None for name, column in columns.items()}
    try:
        for row in connection.execute(f'SELECT {quoted} FROM "{table}" WHERE _removed_at IS NULL'):
            values = []
            for name, value in zip(names, row):
                if isinstance(value, str) and value[:1] in "[{":
                    with contextlib.suppress(ValueError):
                        value = json.loads(value)
                values.append(normal(value, types.get(name) == "timestamp"))
            rows.add(tuple(values))
    except sqlite3.OperationalError as error:
        return names, types, str(error)
    return names, types, rows


def play(feedsync, folder, totals):
    with tempfile.TemporaryDirectory() as work:
        connector = Connector(folder, work)
        add = [feedsync, "add", "--connector", str(connector.folder), *connector.settings]
        dry = subprocess.run([*add, "--dry-run", "--json"], cwd=work, capture_output=True, text=True)
        resolved = connector.resolved()
        count = len(resolved["streams"])
        if dry.returncode != 0:
            reasons = re.findall(r"^(?:feedsync: )?(\S+): left out: (.*)$", dry.stderr, re.M)
            print(f"{connector.name}: none of {count} translated")
            for name, reason in reasons:
                kind = "code" if "is code of the connector" in reason else "other"
                totals[kind] += 1
                totals["streams"] += 1
                if kind != "code":
                    print(f"  {name}: left out: {reason}")
            if not reasons:
                print("  " + dry.stderr.strip())
            return
        result = json.loads(dry.stdout)[0]
        feeds = [feed for feed in result["added"] if feed["stream"] in {stream.get("name") for stream in resolved["streams"]}]
        # A parent may be written once more, with other parameters.
        feeds = list({feed["stream"]: feed for feed in feeds}.values())
        totals["streams"] += count
        for left_out in result["left_out"]:
            kind = "code" if "is code of the connector" in left_out["reason"] else left_out["kind"]
            totals[kind] += 1
            if kind != "code":
                print(f"  {connector.name} {left_out['stream']}: left out: {left_out['reason']} (line {left_out['line']})")
        totals["translated"] += len(feeds)
        subprocess.run([*add, "--quiet"], cwd=work, capture_output=True, check=True)
        names = [feed["stream"] for feed in feeds]
        known = {}
        for definition in resolved["streams"]:
            if definition.get("name") not in names:
                continue
            child = None
            for part, members, inlined in streams_of(definition):
                stream = Stream(part, connector.config, connector.schema(part))
                stream.partition_options = list(request_options(part))
                stream = known.setdefault((stream.name, stream.pattern.pattern), stream)
                stream.parents.update((member, None) for member in members if member)
                if inlined:
                    stream.inlined[inlined[0]] = child
                child = stream
        upstream = Upstream(list(known.values()))
        environment = {
            "PATH": os.environ["PATH"], "HOME": work, "http_proxy": upstream.proxy, "https_proxy": upstream.proxy,
            **connector.secrets,
        }
        run = subprocess.run(
            [feedsync, "sync", "--max-wait", "1s"], cwd=work, env=environment, capture_output=True, text=True,
            timeout=300)
        ours, upstream.requests = upstream.requests, []
        os.environ.update(http_proxy=upstream.proxy, https_proxy=upstream.proxy)
        with contextlib.redirect_stdout(io.StringIO()):
            rows = airbyte_rows(connector, resolved, names)
        theirs = upstream.requests
        asked = [collections.Counter(request[0] for request in requests) for requests in (ours, theirs)]
        signed = [collections.defaultdict(set), collections.defaultdict(set)]
        for sides, requests in zip(signed, (ours, theirs)):
            for name, _, authorization in requests:
                sides[name].add(authorization)
        for feed in feeds:
            name = feed["stream"]
            verdict = compare(f"{work}/feedsync.db", feed, rows[name])
            lists = max(1, len({request[1] for request in ours if request[0] == name}))
            if verdict is None and asked[0][name] > asked[1][name] + MORE_REQUESTS * lists:
                verdict = f"{asked[0][name]} requests, where Airbyte's reader makes {asked[1][name]}"
            if verdict is None and signed[1][name] and signed[0][name] != signed[1][name]:
                verdict = f"signed otherwise: {signed[0][name]} and {signed[1][name]}"
            totals["right" if verdict is None else "wrong"] += 1
            if verdict is not None:
                said = [line for line in run.stderr.splitlines() if re.search(rf"\b{re.escape(feed['feed'])}\b", line)]
                print(f"  {connector.name} {name}: {verdict}" + "".join(f"\n    {line[:240]}" for line in said[:2]))
        if upstream.unknown:
            print(f"  {connector.name}: no stream has {upstream.unknown[0][:200]}")
        print(f"{connector.name}: {len(feeds)} of {count} streams translated and played")


def compare(database, feed, records):
    """The difference between the rows of a feed and the records of its stream; None where there is none."""
    if isinstance(records, str):
        return f"Airbyte's reader fails: {records}"
    names, types, stored = stored_rows(database, feed)
    if isinstance(stored, str):
        return stored
    expected = {tuple(normal(record.get(name), types.get(name) == "timestamp") for name in names) for record in records}
    if not names:
        return None if not records else "no columns to compare"
    if stored == expected:
        return None if stored else "no rows on either side"
    missing, extra = expected - stored, stored - expected
    text = f"{len(stored)} rows, where Airbyte's reader has {len(expected)}; {len(missing)} missing, {len(extra)} of its own"
    for one in list(missing)[:1]:
        other = max(extra, key=lambda each: sum(a == b for a, b in zip(each, one)), default=None)
        if other:
            text += "; for example " + "; ".join(f"{n}: {b!r}, not {a!r}" for n, a, b in zip(names, one, other) if a != b)[:160]
    return text


def main():
    feedsync, folders = sys.argv[1], sys.argv[2:]
    totals = collections.Counter()
    for folder in folders:
        try:
            play(feedsync, folder, totals)
        except Exception as error:  # noqa: BLE001: one connector must not hide the others
            print(f"{pathlib.Path(folder).name}: {type(error).__name__}: {str(error)[:400]}")
            totals["broken"] += 1
        sys.stdout.flush()
    plain = totals["streams"] - totals["code"]
    print(dict(totals))
    played = totals["right"] + totals["wrong"]
    print(
        f"{totals['translated']} of {plain} streams without code of their own translated "
        f"({100 * totals['translated'] / max(plain, 1):.1f} %); {totals['right']} of {played} with the same rows "
        f"({100 * totals['right'] / max(played, 1):.1f} %)")
    enough = totals["translated"] >= 0.9 * plain and totals["right"] >= 0.97 * played and not totals["broken"]
    sys.exit(0 if enough else 1)


main()

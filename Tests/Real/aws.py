"""A table of DynamoDB and the parameters of Systems Manager, as moto imitates them.

usage: aws.py DATABASE PORT          makes them and serves them
       aws.py DATABASE PORT change   changes some of them on the server at that port

DATABASE gets what boto3, AWS's own client, reads from the server.
"""

import os
import signal
import sqlite3
import sys

os.environ.update(AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test", AWS_DEFAULT_REGION="eu-central-1")

import boto3  # noqa: E402  (reads the environment)

database, port = sys.argv[1], int(sys.argv[2])
address = f"http://127.0.0.1:{port}"
plants = boto3.client("dynamodb", endpoint_url=address)
parameters = boto3.client("ssm", endpoint_url=address)


def plant(number, note=""):
    item = {
        "bed": {"S": f"bed {number % 7} \U0001f331"}, "number": {"N": str(number)}, "height": {"N": f"{number}.{number:03}"},
        "note": {"S": f"“{number}” & <{number}>{note}"}}
    return item if number % 5 == 0 else item | {"isTree": {"BOOL": number % 2 == 0}}


def make():
    names = {"bed": ("S", "HASH"), "number": ("N", "RANGE")}
    plants.create_table(
        TableName="plants", BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind} for name, (kind, _) in names.items()],
        KeySchema=[{"AttributeName": name, "KeyType": kind} for name, (_, kind) in names.items()])
    for number in range(300):
        plants.put_item(TableName="plants", Item=plant(number))
    for number in range(60):
        parameters.put_parameter(
            Name=f"/things/{number:03}", Value=str(number), Type="String", Description=f"thing {number}")


def change():
    gone = plant(150)
    plants.delete_item(TableName="plants", Key={"bed": gone["bed"], "number": gone["number"]})
    plants.put_item(TableName="plants", Item=plant(20, " changed"))
    for number in (300, 301):
        plants.put_item(TableName="plants", Item=plant(number))
    parameters.delete_parameter(Name="/things/031")
    parameters.put_parameter(
        Name="/things/012", Value="12", Type="String", Description="another thing", Overwrite=True)


def value(row, path):
    for name in path.split("."):
        row = (row or {}).get(name)
    return int(row) if isinstance(row, bool) else row


def write(connection, table, pages, items, paths):
    """Writes the members at some paths of each item."""
    names = ", ".join(f'"{path}"' for path in paths)
    connection.execute(f"DROP TABLE IF EXISTS {table}")
    connection.execute(f"CREATE TABLE {table} ({names})")
    marks = ", ".join("?" * len(paths))
    for page in pages:
        connection.executemany(
            f"INSERT INTO {table} VALUES ({marks})", ([value(item, path) for path in paths] for item in page[items]))


is_server = sys.argv[3:] != ["change"]
if is_server:
    from moto.server import ThreadedMotoServer

    ThreadedMotoServer(ip_address="127.0.0.1", port=port).start()
    make()
else:
    change()
with sqlite3.connect(database) as connection:
    write(
        connection, "plants", plants.get_paginator("scan").paginate(TableName="plants"), "Items",
        ["bed.S", "number.N", "height.N", "isTree.BOOL", "note.S"])
    write(
        connection, "parameters", parameters.get_paginator("describe_parameters").paginate(), "Parameters",
        ["Name", "Type", "Description", "Version", "Tier"])
if is_server:
    print("ready", flush=True)
    signal.pause()

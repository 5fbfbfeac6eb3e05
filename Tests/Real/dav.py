"""Writes down what a collection of WebDAV has, as PROPFIND lists it: the path of each member, with its ETag.

usage: dav.py URL USER:PASSWORD DATABASE
"""

import base64
import sqlite3
import sys
import urllib.request
import xml.etree.ElementTree

url, account, database = sys.argv[1:]
request = urllib.request.Request(
    url, method="PROPFIND",
    data=b"<propfind xmlns='DAV:'><prop><getetag/></prop></propfind>",
    headers={"Depth": "1", "Authorization": "Basic " + base64.b64encode(account.encode()).decode()})
with urllib.request.urlopen(request) as response:
    tree = xml.etree.ElementTree.parse(response)
members = []
for member in tree.iter("{DAV:}response"):
    path = member.findtext("{DAV:}href")
    if not path.endswith("/"):
        members.append((path, member.findtext(".//{DAV:}getetag")))
with sqlite3.connect(database) as connection:
    connection.execute("DROP TABLE IF EXISTS members")
    connection.execute("CREATE TABLE members (href text, etag text)")
    connection.executemany("INSERT INTO members VALUES (?, ?)", members)

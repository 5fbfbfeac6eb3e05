# Reads a mirror with DuckDB, pandas and Polars, while it is written, and joins two feeds.

list api.example.com/things '[range(1; 201) | {id: ., name: "thing \(.)", price: (. + 0.5), sold: (. % 2 == 0)}]'
list api.example.com/orders '[range(1; 31) | {no: "A\(.)", thing: ., at: "2026-11-01T10:00:00Z"}]'
as_ann feedsync add things https://api.example.com/things --quiet
as_ann feedsync add orders https://api.example.com/orders --quiet
as_ann feedsync sync --quiet
# DuckDB finds its extension where INSTALL would put it; that of PyPI has no signature.
extension=$(find /opt/tools -name 'sqlite_scanner.duckdb_extension')
as_ann mkdir -p .duckdb/extensions/v1.5.5/linux_amd64
as_ann cp "$extension" .duckdb/extensions/v1.5.5/linux_amd64/

ann <<'END'
feedsync sql "SELECT name, price FROM things WHERE price > 20 ORDER BY price" --csv | head -n 2
sqlite3 feedsync.db "SELECT orders.no, things.name FROM orders JOIN things ON things.id = orders.thing;" | tail -n 1
duckdb -unsigned -csv <<'SQL'
LOAD sqlite;
ATTACH 'feedsync.db' AS store (TYPE sqlite, READ_ONLY);
SELECT avg(price) FROM store.things;
SELECT kind, count(*) FROM store.change GROUP BY kind;
COPY (SELECT id, name, price FROM store.things) TO 'things.parquet' (FORMAT parquet);
SQL
/opt/tools/bin/python3 - <<'PYTHON'
import sqlite3

import pandas
import polars

connection = sqlite3.connect("file:feedsync.db?mode=ro", uri=True)
frame = pandas.read_sql("SELECT id, name, price FROM things", connection)
means = polars.read_database("SELECT price FROM things", connection).mean()
print(frame["price"].mean(), means["price"][0])
PYTHON
feedsync show things -o things.csv
END
documented query.md "$(sed 's/ --csv.*//' <<<"${typed[1]}")"
documented query.md "$(grep -o 'SELECT [^"]*' <<<"${typed[2]}")"
documented query.md "$(sed '1d;$d' <<<"${typed[3]}")"
documented query.md "$(sed '1d;$d;/^print/d' <<<"${typed[4]}")"
documented query.md "${typed[5]}"
is "the query" $'name,price\nthing 20,20.5' "${output[1]}"
is "the join" "A30|thing 30" "${output[2]}"
has "the average by DuckDB" '^101.0$' "${output[3]}"
has "the changes by DuckDB" '^new,230$' "${output[3]}"
is "Parquet's rows" 200 "$(as_ann /usr/local/bin/duckdb -csv -noheader -c "SELECT count(*) FROM 'things.parquet'")"
is "the means by pandas and Polars" "101.0 101.0" "${output[4]}"
is "lines of the CSV" 201 "$(wc -l </home/ann/things.csv)"

"""A PgBouncer between workers and the database."""

import subprocess
import time
from pathlib import Path

from database import AS_POSTGRES

PORT = 6432
CONFIGURATION = """
[databases]
* = host={database.folder} user=feedsync
[pgbouncer]
listen_addr = {database.address}
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
max_client_conn = 1000
default_pool_size = 300
server_login_retry = 1
server_connect_timeout = 3
query_wait_timeout = 10
"""


class Pooler:
    """Its clients have its machine's address, and its sessions are the database's local ones."""

    def __init__(self, database, mode):
        self.log = Path(database.folder) / f"pooler-{mode}.log"
        file = Path(database.folder) / f"pooler-{mode}.ini"
        file.write_text(CONFIGURATION.format(database=database, port=PORT, mode=mode))
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [*AS_POSTGRES, "/usr/sbin/pgbouncer", str(file)], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + 30
        while "process up" not in self.log.read_text():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"fleet: PgBouncer does not start: {self.log.read_text()}")
            time.sleep(0.05)

    def end(self):
        self.process.kill()
        self.process.wait()

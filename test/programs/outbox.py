"""A shop with an outbox table. A loop restarts the worker after each failure, like a supervisor, until all is sent.

Without an argument it takes the order and starts workers. Each row has its key from the moment it is written, so that
another worker can continue the work of one that died.
"""
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from http.client import HTTPException

STARTS = 14
PROCESS_KEY = str(uuid.uuid4())


def open_database(path):
    database = sqlite3.connect(path)
    database.execute(
        "create table if not exists outbox (step integer primary key, path text, body text, key text, answer text)"
    )
    return database


def post(path, body, key):
    headers = {
        "x-api-key": os.environ["PAYSIM_API_KEY"],
        "content-type": "application/json",
        "idempotency-key": key,
    }
    request = urllib.request.Request(os.environ["PAYSIM_URL"] + path, body.encode(), headers, method="POST")
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


def work(path):
    """Sends the unsent rows. Any failure ends the process, with exit code 75 if a restart may help."""
    database = open_database(path)
    first = database.execute("select answer from outbox where step = 1").fetchone()[0]
    checkout = json.loads(first)["id"] if first else None
    rows = database.execute("select step, path, body, key from outbox where answer is null order by step").fetchall()
    for step, target, body, key in rows:
        try:
            answer = post(target.format(checkout=checkout), body, key)
        except urllib.error.HTTPError as error:
            said = error.read().decode()
            print(error.code, said, file=sys.stderr)
            wait = int(error.headers.get("retry-after") or 0)
            may_help = error.code == 429 or error.code >= 500 or "in progress" in said
            time.sleep(wait)
            sys.exit(75 if may_help else 1)
        except (OSError, HTTPException, ValueError) as error:
            print(error, file=sys.stderr)
            sys.exit(75)
        database.execute("update outbox set answer = ? where step = ?", (json.dumps(answer), step))
        database.commit()
        checkout = checkout or answer["id"]


def supervise():
    path = os.path.join(tempfile.mkdtemp(), "shop.sqlite")
    database = open_database(path)
    order = {
        "orderId": "order-1",
        "externalId": "barbara",
        "amount": 250,
        "successUrl": "https://shop.example/ok",
        "cancelUrl": "https://shop.example/no",
    }
    steps = [
        ("/v1/checkouts", order),
        ("/v1/checkouts/{checkout}/confirm", {}),
        ("/v1/checkouts/{checkout}/refunds", {"amount": 40}),
    ]
    for step, (target, body) in enumerate(steps, 1):
        row = (step, target, json.dumps(body), str(uuid.uuid4()))
        database.execute("insert into outbox (step, path, body, key) values (?, ?, ?, ?)", row)
    database.commit()
    pause = 0.5
    for _ in range(STARTS):
        code = subprocess.run([sys.executable, __file__, path]).returncode
        if code != 75:
            sys.exit(code)
        time.sleep(pause * random.uniform(1, 1.25))
        pause = min(pause * 2, 8)
    sys.exit("the outbox was not sent")


if len(sys.argv) > 1:
    work(sys.argv[1])
else:
    supervise()

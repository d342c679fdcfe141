"""A webhook receiver in Python, with only the standard library: it handles each event once, and refunds never move back."""
import base64
import hashlib
import hmac
import json
import os
import sqlite3
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = base64.b64decode(os.environ["PAYSIM_WEBHOOK_SECRET"].removeprefix("whsec_"))
FILE = "shop.sqlite"
KNOWN = ("checkout.created", "checkout.confirmed", "refund.created", "refund.completed")

database = sqlite3.connect(FILE, check_same_thread=False, isolation_level=None)
database.execute("create table if not exists handled (event text primary key)")
database.execute("create table if not exists refund (id text primary key, status text)")


def is_signed(headers, body):
    at = headers.get("webhook-timestamp", "0")
    message = f"{headers.get('webhook-id')}.{at}.".encode() + body
    valid = "v1," + base64.b64encode(hmac.digest(SECRET, message, hashlib.sha256)).decode()
    is_fresh = abs(time.time() - int(at)) < 300
    return is_fresh and any(hmac.compare_digest(one, valid) for one in headers.get("webhook-signature", "").split())


def handle(event_id, event):
    if event["type"] not in KNOWN:
        return
    # The primary key decides between concurrent deliveries.
    if database.execute("insert or ignore into handled values (?)", (event_id,)).rowcount == 0:
        return
    if event["type"].startswith("refund."):
        database.execute(
            "insert into refund values (:id, :status) on conflict do update set status = :status where status <> 'completed'",
            event["data"],
        )


class Receiver(BaseHTTPRequestHandler):
    def do_GET(self):
        *_, about, name = self.path.split("/")
        if about == "refunds":
            row = database.execute("select status from refund where id = ?", (name,)).fetchone()
            return self.answer(200 if row else 404, {"status": row and row[0]})
        return self.answer(200, {"handled": database.execute("select count(*) from handled").fetchone()[0]})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if not is_signed(self.headers, body):
            return self.answer(401)
        handle(self.headers["webhook-id"], json.loads(body))
        return self.answer(204)

    def answer(self, status, value=None):
        data = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        if data:
            self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128


Server(("127.0.0.1", int(os.environ["PAYSIM_WEBHOOK_PORT"])), Receiver).serve_forever()

"""A shop in Python, with only the standard library: it sells, refunds and reads the refund."""
import json
import os
import random
import time
import urllib.error
import urllib.request
import uuid
from decimal import Decimal
from http.client import HTTPException

URL, API_KEY = os.environ["PAYSIM_URL"], os.environ["PAYSIM_API_KEY"]
TRIES = 12


def send(method, path, body=None, key=None):
    headers = {"x-api-key": API_KEY, "content-type": "application/json"}
    if key:
        headers["idempotency-key"] = key
    pause = 0.5
    for _ in range(TRIES):
        retry_after = 0
        data = None if body is None else json.dumps(body, default=float).encode()
        request = urllib.request.Request(URL + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            retry_after = int(error.headers.get("retry-after") or 0)
            answer = error.read().decode()
            in_flight = error.code == 409 and "in progress" in answer
            if error.code != 429 and error.code < 500 and not in_flight:
                raise
        except (OSError, HTTPException, ValueError):
            pass  # the response was lost, so retry with the same key
        time.sleep(max(retry_after, pause * random.uniform(1, 1.25)))
        pause = min(pause * 2, 8)
    raise RuntimeError(f"{method} {path}: no answer after {TRIES} tries")


order = {
    "orderId": "order-1",
    "externalId": "grace",
    "amount": Decimal("59.97"),
    "successUrl": "https://shop.example/ok",
    "cancelUrl": "https://shop.example/no",
}
checkout = send("POST", "/v1/checkouts", order, str(uuid.uuid4()))
send("POST", f"/v1/checkouts/{checkout['id']}/confirm", {}, str(uuid.uuid4()))
amount = Decimal("19.99")
refund = send("POST", "/v1/refunds", {"checkoutId": checkout["id"], "amount": amount}, str(uuid.uuid4()))
print(send("GET", f"/v1/refunds/{refund['id']}")["status"])

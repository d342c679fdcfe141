"""The response to a refund is lost; the client retries, and the money must have moved once. Needs a running paysim."""

import http.client
import json
import os
import time
import urllib.error
import urllib.request
import uuid

import pytest

PAYSIM = os.environ.get("PAYSIM_URL", "http://127.0.0.1:4100")


@pytest.fixture
def sandbox():
    """A sandbox for one test, with its API key and a function that controls it."""
    name = f"pytest-{uuid.uuid4().hex[:8]}"
    sandbox = sim("POST", "", {"name": name, "rateLimit": "off", "ttl": "10m"})
    sandbox["sim"] = lambda method, path, body=None: sim(method, f"/{name}{path}", body)
    yield sandbox
    # Fails if an armed behavior never acted.
    sandbox["sim"]("POST", "/close")


def test_a_lost_answer_does_not_refund_twice(sandbox):
    urls = {"successUrl": "https://shop.test/ok", "cancelUrl": "https://shop.test/no"}
    order = {"orderId": "order-1", "externalId": "ada", "amount": 100, **urls}
    checkout = pay(sandbox, "/checkouts", order)["id"]
    pay(sandbox, f"/checkouts/{checkout}/confirm", {})
    sandbox["sim"](
        "POST",
        "/behaviors",
        {"when": {"op": "checkouts.refund"}, "times": 1, "do": {"fault": "reset", "at": "after-commit"}},
    )

    pay(sandbox, f"/checkouts/{checkout}/refunds", {"amount": 25})

    assert sandbox["sim"]("GET", "/ledger")["sums"]["refunded"] == 25


def pay(sandbox, path, body):
    """Replace this with your own client. Every retry has the key of the first attempt."""
    headers = {"x-api-key": sandbox["apiKey"], "idempotency-key": str(uuid.uuid4())}
    for pause in (0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 5, 5, None):
        try:
            return ask("POST", f"/v1{path}", body, headers)
        except urllib.error.HTTPError as refusal:
            text = refusal.read().decode()
            is_in_progress = refusal.code == 409 and "in progress" in text
            if pause is None or not (refusal.code == 429 or refusal.code >= 500 or is_in_progress):
                raise AssertionError(f"POST {path}: {refusal.code} {text}") from None
            pause = max(pause, float(refusal.headers.get("retry-after", 0)))
        except (OSError, http.client.HTTPException, ValueError):
            # The connection broke, or the response cannot be read: the money may have moved.
            if pause is None:
                raise
        time.sleep(pause)


def sim(method, path, body=None):
    """Controls paysim. An error fails the test with paysim's explanation."""
    try:
        return ask(method, f"/_sim/sandboxes{path}", body)
    except urllib.error.HTTPError as refusal:
        said = json.loads(refusal.read())["message"]
    except OSError:
        said = f"No paysim is running at {PAYSIM}. Start one with `paysim start`, or run the tests with `paysim exec`."
    raise pytest.fail.Exception(said, pytrace=False) from None


def ask(method, path, body=None, headers=None):
    data = None if body is None else json.dumps(body).encode()
    sent = {"content-type": "application/json", **(headers or {})}
    request = urllib.request.Request(PAYSIM + path, data, sent, method=method)
    with urllib.request.urlopen(request, timeout=5) as response:
        text = response.read()
    return json.loads(text) if text else None

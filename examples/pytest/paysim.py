"""Controls a running paysim with the standard library alone. Copy it next to your tests."""

import json
import os
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("PAYSIM_URL", "http://127.0.0.1:4100")


def call(method, path, body=None, headers=None):
    """Sends a request and returns the JSON of the response. An error status raises urllib.error.HTTPError."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, {"content-type": "application/json", **(headers or {})}, method=method)
    with urllib.request.urlopen(request, timeout=10) as response:
        text = response.read()
    return json.loads(text) if text else None


class Sandbox:
    """A sandbox for one test, with its own key, clock, ledger and behaviors."""

    def __init__(self, **options):
        self.name = f"pytest-{uuid.uuid4().hex[:8]}"
        created = call("POST", "/_sim/sandboxes", {"name": self.name, "ttl": "10m", **options})
        self.api_key = created["apiKey"]

    def sim(self, method, path, body=None):
        """Sends a request to the tester's API. An error raises AssertionError with paysim's explanation."""
        __tracebackhide__ = True
        address = f"/_sim/sandboxes/{self.name}{path}"
        try:
            return call(method, address, body)
        except urllib.error.HTTPError as refusal:
            explanation = json.loads(refusal.read())["message"]
            raise AssertionError(f"{method} {address}: {explanation}") from None

    def arm(self, behavior):
        self.sim("POST", "/behaviors", behavior)

    def advance(self, time):
        return self.sim("POST", "/clock", {"advance": time})

    def ledger(self):
        return self.sim("GET", "/ledger")["sums"]

    def close(self):
        """Fails if an armed behavior never acted."""
        __tracebackhide__ = True
        self.sim("POST", "/close")

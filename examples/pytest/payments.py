"""A client that retries with the same key if a response is lost. Replace it with your own."""

import http.client
import time
import urllib.error
import uuid

from paysim import call

PAUSES = (0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 6.4, 6.4)


class Payments:
    def __init__(self, api_key):
        self.api_key = api_key

    def post(self, path, body, key=None):
        return self._ask("POST", path, body, {"idempotency-key": key or str(uuid.uuid4())})

    def get(self, path):
        return self._ask("GET", path, None, {})

    def _ask(self, method, path, body, headers):
        for pause in (*PAUSES, None):
            try:
                return call(method, path, body, {"x-api-key": self.api_key, **headers})
            except urllib.error.HTTPError as refusal:
                if pause is None or not worth_another_try(refusal):
                    raise
                pause = max(pause, float(refusal.headers.get("retry-after", 0)))
            except (OSError, http.client.HTTPException, ValueError):
                # The connection broke, or the response cannot be read: the money may have moved.
                if pause is None:
                    raise
            time.sleep(pause)


def worth_another_try(refusal):
    if refusal.code == 409:
        return b"in progress" in refusal.read()
    return refusal.code == 429 or refusal.code >= 500

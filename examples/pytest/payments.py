"""What is tested: a client that asks again with the same key when the answer is lost. Yours takes its place."""

import http.client
import time
import urllib.error
import uuid

from paysim import call


class Payments:
    def __init__(self, api_key):
        self.api_key = api_key

    def post(self, path, body, key=None):
        headers = {"x-api-key": self.api_key, "idempotency-key": key or str(uuid.uuid4())}
        for pause in (0.1, 0.2, 0.4, None):
            try:
                return call("POST", path, body, headers)
            except urllib.error.HTTPError as refusal:
                if refusal.code < 500 or pause is None:
                    raise
            except (OSError, http.client.HTTPException):
                if pause is None:
                    raise
            time.sleep(pause)

    def get(self, path):
        return call("GET", path, headers={"x-api-key": self.api_key})

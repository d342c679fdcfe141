"""Verifies the signature of a webhook, over the bytes of the body as received."""

import base64
import hashlib
import hmac
import time

TOLERANCE_SECONDS = 300


def is_valid(body, headers, secret):
    sent_at = headers.get("webhook-timestamp", "")
    signed = f"{headers.get('webhook-id', '')}.{sent_at}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    right = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    sent = headers.get("webhook-signature", "").encode().split()
    is_signed = any(hmac.compare_digest(one, right) for one in sent)
    return is_signed and abs(time.time() - int(sent_at)) < TOLERANCE_SECONDS

#!/usr/bin/env bash
# Tests a refund with only a shell and curl, in any CI.
#
#   docker build -t paysim . && docker run -d -p 4100:4100 paysim && examples/shell.sh
set -euo pipefail
paysim=${PAYSIM_URL:-http://127.0.0.1:4100}

# Ready within half a minute, or not at all
curl -sf --retry 30 --retry-delay 1 --retry-all-errors -o /dev/null "$paysim/healthz"

# A sandbox for this run. Its clock is frozen, so that nothing happens unless the test moves it.
sandbox=ci-$$
sim=$paysim/_sim/sandboxes/$sandbox
json='content-type: application/json'
curl -sf -o /dev/null "$paysim/_sim/sandboxes" -H "$json" \
  -d "{\"name\": \"$sandbox\", \"clock\": \"frozen\", \"rateLimit\": \"off\", \"ttl\": \"10m\"}"
trap 'curl -sf -X DELETE "$sim"' EXIT

# The first value of a field in the JSON of stdin
field() { sed "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

# What your program would do
ask() { curl -sf "$paysim/v1$1" -H "x-api-key: sk_staging_$sandbox" -H "$json" "${@:2}"; }
checkout=$(ask /checkouts -H 'idempotency-key: checkout-1' -d '{
  "orderId": "o-1", "externalId": "acme", "amount": 1000.00,
  "successUrl": "https://shop.test/ok", "cancelUrl": "https://shop.test/no"
}' | field id)
ask "/checkouts/$checkout/confirm" -X POST -H 'idempotency-key: confirm-1' > /dev/null
refund=$(ask "/checkouts/$checkout/refunds" -d '{"amount": 250.00}' -H 'idempotency-key: refund-1' | field id)

# A retry must not refund twice
again=$(ask "/checkouts/$checkout/refunds" -d '{"amount": 250.00}' -H 'idempotency-key: refund-1' | field id)
[[ $again == "$refund" ]] || fail "the retry refunded once more: $again"

# Move the clock two days
curl -sf -o /dev/null "$sim/clock" -H "$json" -d '{"advance": "2d"}'
[[ $(ask "/refunds/$refund" | field status) == completed ]] || fail 'the refund is not completed'
[[ $(curl -sf "$sim/ledger" | field refunded) == 250.00 ]] || fail 'another sum was refunded'

echo 'One refund of 250.00, completed.'

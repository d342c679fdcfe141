#!/usr/bin/env bash
# A shop in curl: each write has a key, which its retries reuse.
set -euo pipefail

send() { # METHOD PATH BODY KEY
  local pause=1 tried status wait answer headers
  answer=$(mktemp) headers=$(mktemp)
  for tried in 1 2 3 4 5 6 7 8 9 10 11 12; do
    : >"$headers"
    status=$(curl -s -m 10 -X "$1" "$PAYSIM_URL$2" -o "$answer" -D "$headers" -w '%{http_code}' \
      -H "x-api-key: $PAYSIM_API_KEY" -H 'content-type: application/json' -H "idempotency-key: $4" \
      -d "$3") || status=000
    case $status in
      2*) if jq -e . "$answer" >/dev/null 2>&1; then cat "$answer"; rm "$answer" "$headers"; return; fi ;;
      409) grep -q 'in progress' "$answer" || { cat "$answer" >&2; return 1; } ;;
      000 | 429 | 5*) ;;
      *) cat "$answer" >&2; return 1 ;;
    esac
    wait=$(tr -d '\r' <"$headers" | awk 'tolower($1) == "retry-after:" { print $2 }')
    sleep "$(awk -v a="${wait:-0}" -v b="$pause" -v r="$RANDOM" 'BEGIN { p = b * (1 + r / 131072); print (a > p ? a : p) }')"
    pause=$((pause < 8 ? pause * 2 : 8))
  done
  echo "$1 $2: no answer" >&2
  return 1
}

key() { cat /proc/sys/kernel/random/uuid; }

order='{"orderId":"order-1","externalId":"linus","amount":80.00,"successUrl":"https://shop.example/ok","cancelUrl":"https://shop.example/no"}'
checkout=$(send POST /v1/checkouts "$order" "$(key)" | jq -r .id)
send POST "/v1/checkouts/$checkout/confirm" '{}' "$(key)" >/dev/null
send POST "/v1/checkouts/$checkout/refunds" '{"amount":15.50}' "$(key)" | jq -r .status

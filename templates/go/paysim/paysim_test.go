// The response to a refund is lost; the client retries, and the money must have moved once. Needs a running paysim.
package paysim

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

var client = &http.Client{Timeout: 5 * time.Second}

func TestALostAnswerDoesNotRefundTwice(t *testing.T) {
	// A sandbox for this test.
	name := fmt.Sprintf("go-%d", time.Now().UnixNano())
	apiKey := "sk_staging_" + name
	sim(t, "POST", "", fmt.Sprintf(`{"name": "%s", "rateLimit": "off", "ttl": "10m"}`, name))
	// Fails if an armed behavior never acted.
	t.Cleanup(func() { sim(t, "POST", "/"+name+"/close", "") })

	checkout := pay(t, apiKey, "/checkouts", `{"orderId": "order-1", "externalId": "ada", "amount": 100,
		"successUrl": "https://shop.test/ok", "cancelUrl": "https://shop.test/no"}`)
	pay(t, apiKey, "/checkouts/"+checkout+"/confirm", `{}`)
	sim(t, "POST", "/"+name+"/behaviors",
		`{"when": {"op": "checkouts.refund"}, "times": 1, "do": {"fault": "reset", "at": "after-commit"}}`)

	pay(t, apiKey, "/checkouts/"+checkout+"/refunds", `{"amount": 25}`)

	ledger := sim(t, "GET", "/"+name+"/ledger", "")
	if !strings.Contains(ledger, `"refunded":25.00`) {
		t.Fatal(ledger)
	}
}

// pay returns the id. Replace it with your own client. Every retry has the key of the first attempt.
func pay(t *testing.T, apiKey, path, body string) string {
	t.Helper()
	key := fmt.Sprintf("key-%d", time.Now().UnixNano())
	pause := 200 * time.Millisecond
	for tries := 1; ; tries++ {
		status, text, wait := ask(t, "POST", "/v1"+path, body, map[string]string{"x-api-key": apiKey, "idempotency-key": key})
		var answer struct {
			ID string `json:"id"`
		}
		isRead := json.Unmarshal([]byte(text), &answer) == nil
		if isRead && status >= 200 && status < 300 {
			return answer.ID
		}
		isInProgress := status == 409 && strings.Contains(text, "in progress")
		isFinal := status >= 400 && status < 500 && status != 429 && !isInProgress
		if isFinal || tries == 10 {
			t.Fatalf("POST %s: %d %s", path, status, text)
		}
		if wait < pause {
			wait = pause
		}
		time.Sleep(wait)
		if pause < 5*time.Second {
			pause *= 2
		}
	}
}

func sim(t *testing.T, method, path, body string) string {
	t.Helper()
	status, text, _ := ask(t, method, "/_sim/sandboxes"+path, body, nil)
	if status == 0 {
		t.Fatalf("No paysim is running. Start one with `paysim start`, or run the tests with `paysim exec`. (%s)", text)
	}
	if status < 200 || status >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	return text
}

// ask returns status 0 if the connection broke: the operation may have run.
func ask(t *testing.T, method, path, body string, headers map[string]string) (int, string, time.Duration) {
	t.Helper()
	url := os.Getenv("PAYSIM_URL")
	if url == "" {
		url = "http://127.0.0.1:4100"
	}
	request, err := http.NewRequest(method, url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	// Otherwise Go retries a POST with a key by itself.
	request.GetBody = nil
	request.Header.Set("content-type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err.Error(), 0
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error(), 0
	}
	seconds, _ := strconv.Atoi(response.Header.Get("retry-after"))
	return response.StatusCode, string(text), time.Duration(seconds) * time.Second
}

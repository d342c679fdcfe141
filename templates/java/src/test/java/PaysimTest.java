import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The response to a refund is lost; the client retries, and the money must have moved once. Needs a running paysim. */
class PaysimTest {
  static final String PAYSIM = System.getenv().getOrDefault("PAYSIM_URL", "http://127.0.0.1:4100");
  static final String SANDBOXES = PAYSIM + "/_sim/sandboxes";
  final HttpClient http = HttpClient.newHttpClient();
  final String name = "junit-" + UUID.randomUUID();

  /** A sandbox for this test. */
  @BeforeEach
  void open() throws Exception {
    sim("POST", "", "{\"name\": \"" + name + "\", \"rateLimit\": \"off\", \"ttl\": \"10m\"}");
  }

  /** Fails if an armed behavior never acted. */
  @AfterEach
  void close() throws Exception {
    sim("POST", "/" + name + "/close", "");
  }

  @Test
  void aLostAnswerDoesNotRefundTwice() throws Exception {
    var checkout = pay("/checkouts", "{\"orderId\": \"order-1\", \"externalId\": \"ada\", \"amount\": 100,"
        + " \"successUrl\": \"https://shop.test/ok\", \"cancelUrl\": \"https://shop.test/no\"}");
    var id = checkout.replaceAll("(?s).*\"id\":\"(chk_[^\"]*)\".*", "$1");
    pay("/checkouts/" + id + "/confirm", "{}");
    sim("POST", "/" + name + "/behaviors", "{\"when\": {\"op\": \"checkouts.refund\"}, \"times\": 1,"
        + " \"do\": {\"fault\": \"reset\", \"at\": \"after-commit\"}}");

    pay("/checkouts/" + id + "/refunds", "{\"amount\": 25}");

    var ledger = sim("GET", "/" + name + "/ledger", "");
    assertTrue(ledger.contains("\"refunded\":25.00"), ledger);
  }

  /** Replace this with your own client. Every retry has the key of the first attempt. */
  String pay(String path, String body) throws Exception {
    var request = request("POST", PAYSIM + "/v1" + path, body)
        .header("x-api-key", "sk_staging_" + name)
        .header("idempotency-key", UUID.randomUUID().toString())
        .build();
    var pauseMs = 200L;
    for (var tries = 1; ; tries++) {
      var problem = "no response";
      var waitMs = pauseMs;
      var isFinal = false;
      try {
        var response = http.send(request, BodyHandlers.ofString());
        var status = response.statusCode();
        var text = response.body();
        if (status < 300 && text.endsWith("}")) return text;
        var isInProgress = status == 409 && text.contains("in progress");
        isFinal = status >= 400 && status < 500 && status != 429 && !isInProgress;
        problem = status + " " + text;
        waitMs = Math.max(pauseMs, 1000 * response.headers().firstValueAsLong("retry-after").orElse(0));
      } catch (IOException broken) {
        // The money may have moved.
      }
      if (isFinal || tries == 10) throw new AssertionError("POST " + path + ": " + problem);
      Thread.sleep(waitMs);
      pauseMs = Math.min(2 * pauseMs, 5_000);
    }
  }

  String sim(String method, String path, String body) throws Exception {
    try {
      var response = http.send(request(method, SANDBOXES + path, body).build(), BodyHandlers.ofString());
      if (response.statusCode() >= 300) throw new AssertionError(response.body());
      return response.body();
    } catch (IOException noAnswer) {
      throw new AssertionError("No paysim is running at " + PAYSIM
          + ". Start one with `paysim start`, or run the tests with `paysim exec`.");
    }
  }

  static HttpRequest.Builder request(String method, String url, String body) {
    return HttpRequest.newBuilder(URI.create(url))
        .timeout(Duration.ofSeconds(5))
        .header("content-type", "application/json")
        .method(method, BodyPublishers.ofString(body));
  }
}

import pytest

from payments import Payments
from paysim import Sandbox


@pytest.fixture
def sandbox():
    sandbox = Sandbox(clock="frozen", rateLimit="off")
    yield sandbox
    sandbox.close()


@pytest.fixture
def full_shop():
    sandbox = Sandbox(fixture={"customers": [{"externalId": f"business-{i}"} for i in range(20)]})
    yield sandbox
    sandbox.close()


@pytest.fixture
def charged(sandbox):
    """A client, and the id of a checkout of 100.00 that is confirmed."""
    payments = Payments(sandbox.api_key)
    urls = {"successUrl": "https://shop.test/ok", "cancelUrl": "https://shop.test/no"}
    checkout = payments.post("/v1/checkouts", {"orderId": "o-1", "externalId": "ada", "amount": 100, **urls})
    payments.post(f"/v1/checkouts/{checkout['id']}/confirm", {})
    return payments, checkout["id"]


def test_a_lost_answer_does_not_refund_twice(sandbox, charged):
    payments, checkout = charged
    sandbox.arm({"when": {"op": "checkouts.refund"}, "times": 1, "do": {"fault": "reset", "at": "after-commit"}})

    payments.post(f"/v1/checkouts/{checkout}/refunds", {"amount": 25})

    assert sandbox.ledger()["refunded"] == 25


def test_a_refund_is_completed_after_two_days(sandbox, charged):
    payments, checkout = charged
    refund = payments.post(f"/v1/checkouts/{checkout}/refunds", {"amount": 25})
    assert refund["status"] == "pending"

    sandbox.advance("2d")

    assert payments.get(f"/v1/refunds/{refund['id']}")["status"] == "completed"


def test_a_fixture_makes_twenty_customers(full_shop):
    payments = Payments(full_shop.api_key)

    assert len(payments.get("/v1/customers?limit=100")["data"]) == 20

"""Starts a paysim for the test run in a container. Needs pip install testcontainers."""

import pytest
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HealthcheckWaitStrategy


@pytest.fixture(scope="session")
def paysim_url():
    container = DockerContainer("paysim").with_exposed_ports(4100).with_env("PAYSIM_RATE_LIMIT", "off")
    with container.waiting_for(HealthcheckWaitStrategy()) as paysim:
        yield f"http://{paysim.get_container_host_ip()}:{paysim.get_exposed_port(4100)}"

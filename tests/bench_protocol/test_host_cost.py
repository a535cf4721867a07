"""test_host_cost: batches on a host whose time is counted by hand."""

from __future__ import annotations

from camp.bench.host import BATCHES, CALLS, host_cost
from camp.bench.results import HostCost


class FakeHost:
    """Calls take 4 us while no more than 1000 are pending; then they wait for the device."""

    def __init__(self) -> None:
        self.us, self.pending, self.log = 0.0, 0, list[str]()

    def clock(self) -> float:
        return self.us * 1e-6

    def synchronize(self) -> None:
        self.pending = 0
        self.us += 5000.0

    def enqueue(self, name: str, us: float) -> None:
        self.pending += 1
        self.us += us if self.pending <= 1000 else 500.0
        self.log.append(name)


def test_costs_are_of_batches_that_fit_the_queue_on_an_idle_device() -> None:
    fake = FakeHost()
    found = host_cost(
        fake.synchronize,
        lambda: fake.enqueue("kernel", 4.0),
        torch=lambda: fake.enqueue("torch", 9.0),
        floor=lambda launches: 3.8 if launches == CALLS else 0.0,
        clock=fake.clock,
    )
    assert (round(found.kernel_us, 6), round(found.torch_us or 0.0, 6)) == (4.0, 9.0)
    assert found.floor_us == 3.8
    assert fake.log == (["kernel"] * CALLS + ["torch"] * CALLS) * BATCHES
    assert fake.pending == 0


def test_what_is_not_there_has_no_cost() -> None:
    fake = FakeHost()
    found = host_cost(fake.synchronize, lambda: fake.enqueue("k", 4.0), clock=fake.clock)
    assert found == HostCost(found.kernel_us, None, None)


def test_one_slow_batch_does_not_decide() -> None:
    fake = FakeHost()
    found = host_cost(
        fake.synchronize,
        lambda: fake.enqueue("k", 4000.0 if len(fake.log) < CALLS else 4.0),
        clock=fake.clock,
    )
    assert round(found.kernel_us, 6) == 4.0

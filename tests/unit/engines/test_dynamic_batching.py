"""Many threads, one engine: batches are gathered, nobody waits for long, and every result is as it would be alone."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dhyan.core.cancellation import Cancellation, Cancelled
from dhyan.core.errors import DhyanError
from dhyan.engines.ctranslate2 import CTranslate2Engine
from dhyan.engines.dynamic_batching import DynamicBatching
from dhyan.model.generation.settings import GenerationSettings
from support.packs import TEXT, random_pack

SETTINGS = GenerationSettings(beam=2, alternatives=2, max_length=20)


class SlowEngine:
    """Answers each row with its double; a batch takes as long as it is told, and all batches are remembered."""

    compute, device, threads = "int8", "cpu", 1

    def __init__(self):
        self.batches, self.begun, self.may_go_on = [], threading.Semaphore(0), threading.Semaphore(0)

    def encode(self, rows):
        self.batches.append([list(row) for row in rows])
        self.begun.release()
        assert self.may_go_on.acquire(timeout=10)
        if any(row[0] < 0 for row in rows):
            raise DhyanError("a row is negative.")
        return [np.array(row) * 2 for row in rows]

    def let_go(self, batches=1000):
        self.may_go_on.release(batches)


def in_threads(*calls):
    pool = ThreadPoolExecutor(len(calls))
    return [pool.submit(call) for call in calls]


def arrived(batching, callers):
    """Wait until so many threads wait for results."""
    for _ in range(1000):
        if batching._callers == callers:
            return
        time.sleep(0.005)
    raise AssertionError(f"{batching._callers} threads wait, not {callers}")


def busy(expected=1, **options):
    """An engine that computes a batch, so that whatever comes now has to wait."""
    engine = SlowEngine()
    batching = DynamicBatching(engine, expected=lambda: expected, **options)
    (first,) = in_threads(lambda: batching.encode([[1]]))
    assert engine.begun.acquire(timeout=10)
    return engine, batching, first


def test_what_comes_while_a_batch_is_computed_shares_the_next_one():
    engine, batching, first = busy()
    others = in_threads(*(lambda number=number: batching.encode([[number], [10 * number]]) for number in (2, 3, 4)))
    arrived(batching, 4)
    engine.let_go()
    assert [[row.tolist() for row in other.result(10)] for other in others] == [[[4], [40]], [[6], [60]], [[8], [80]]]
    assert [row.tolist() for row in first.result(10)] == [[2]]
    assert [len(batch) for batch in engine.batches] == [1, 6]


def test_a_short_text_does_not_wait_for_all_of_a_long_one():
    engine, batching, first = busy(batch_tokens=20)  # ten rows of one token
    (long,) = in_threads(lambda: batching.encode([[number] for number in range(100, 600)]))
    arrived(batching, 2)
    (short,) = in_threads(lambda: batching.encode([[7]]))
    arrived(batching, 3)
    engine.let_go(2)
    assert short.result(10)[0].tolist() == [14]
    assert len(engine.batches) <= 3
    engine.let_go()
    assert [row.tolist() for row in long.result(10)] == [[2 * number] for number in range(100, 600)]
    assert max(len(batch) for batch in engine.batches) == 10
    first.result(10)


def test_other_settings_wait_for_one_batch_and_not_for_all():
    class Engine(SlowEngine):
        def translate(self, rows, settings, no_repeat_ngram):
            return self.encode(rows)

    engine = Engine()
    batching = DynamicBatching(engine, batch_tokens=20)
    (long,) = in_threads(lambda: batching.translate([[number] for number in range(100)], SETTINGS))
    assert engine.begun.acquire(timeout=10)
    (strict,) = in_threads(lambda: batching.translate([[1000]], SETTINGS, 3))
    arrived(batching, 2)
    engine.let_go(3)
    assert strict.result(10)[0].tolist() == [2000]
    assert [1000] in engine.batches[1] + engine.batches[2]
    assert not any(len(batch) > 1 and [1000] in batch for batch in engine.batches)
    engine.let_go()
    long.result(10)


def test_whoever_is_alone_does_not_wait_and_others_are_waited_for():
    engine = SlowEngine()
    engine.let_go()
    expected = [1]
    batching = DynamicBatching(engine, wait_ms=10_000, expected=lambda: expected[0])
    assert batching.encode([[1]])[0].tolist() == [2]  # at once, or this test takes ten seconds
    expected[0] = 2
    (one,) = in_threads(lambda: batching.encode([[2]]))
    arrived(batching, 1)
    (other,) = in_threads(lambda: batching.encode([[3]]))
    assert (one.result(5)[0].tolist(), other.result(5)[0].tolist()) == ([4], [6])
    assert len(engine.batches) == 2  # the two together


def test_the_wait_for_others_is_short():
    engine = SlowEngine()
    engine.let_go()
    batching = DynamicBatching(engine, wait_ms=5, expected=lambda: 2)
    (one,) = in_threads(lambda: batching.encode([[2]]))
    assert one.result(5)[0].tolist() == [4]


def test_work_that_is_given_up_leaves_the_queue():
    engine, batching, first = busy()
    given_up, wanted = Cancellation(), Cancellation()

    def ask(cancellation, rows):
        with cancellation.around():
            return batching.encode(rows)

    (gone,) = in_threads(lambda: ask(given_up, [[5], [6]]))
    (other,) = in_threads(lambda: ask(wanted, [[7]]))
    arrived(batching, 3)
    given_up.cancel()
    with pytest.raises(Cancelled):
        gone.result(10)
    engine.let_go()
    assert other.result(10)[0].tolist() == [14]
    first.result(10)
    assert engine.batches == [[[1]], [[7]]]
    (late,) = in_threads(lambda: ask(Cancellation(0), [[8]]))  # its time is over
    with pytest.raises(Cancelled):
        late.result(10)
    assert not any([8] in batch for batch in engine.batches)


def test_whoever_leads_and_is_given_up_leaves_the_rest_to_others():
    engine, batching = SlowEngine(), None
    batching = DynamicBatching(engine, batch_tokens=2)
    leader = Cancellation()

    def lead():
        with leader.around():
            return batching.encode([[1], [2], [3]])

    (leading,) = in_threads(lead)
    assert engine.begun.acquire(timeout=10)
    (other,) = in_threads(lambda: batching.encode([[9]]))
    arrived(batching, 2)
    leader.cancel()
    engine.let_go()
    assert other.result(10)[0].tolist() == [18]
    with pytest.raises(Cancelled):
        leading.result(10)


def test_a_second_batch_is_computed_beside_the_first():
    engine, batching, first = busy(workers=2)
    (second,) = in_threads(lambda: batching.encode([[2]]))
    assert engine.begun.acquire(timeout=10)
    (third,) = in_threads(lambda: batching.encode([[3]]))
    arrived(batching, 3)
    assert engine.batches == [[[1]], [[2]]]
    engine.let_go()
    assert [one.result(10)[0].tolist() for one in (first, second, third)] == [[2], [4], [6]]


def test_a_batch_has_rows_of_one_range_of_lengths_unless_there_is_one_caller():
    engine, batching, first = busy()
    long, short = [1] * 30, [2]
    others = in_threads(
        *(lambda rows=rows: batching.encode(rows) for rows in ([short, long], [long, short], [short]))
    )
    arrived(batching, 4)
    engine.let_go()
    for other in others:
        other.result(10)
    assert sorted(sorted({len(row) for row in batch}) for batch in engine.batches[1:]) == [[1], [30]]
    first.result(10)
    batching.encode([short, long])
    assert engine.batches[-1] == [short, long]


def test_nobody_pays_for_the_rows_of_another():
    engine, batching, first = busy()
    bad, good = in_threads(lambda: batching.encode([[-1]]), lambda: batching.encode([[4]]))
    arrived(batching, 3)
    engine.let_go()
    assert good.result(10)[0].tolist() == [8]
    with pytest.raises(DhyanError, match="negative"):
        bad.result(10)
    first.result(10)


@pytest.mark.parametrize("shape", ["encoder-decoder", "encoder"])
def test_results_are_those_of_each_text_alone(shape, tmp_path, monkeypatch):
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "cache"))
    pack = random_pack(tmp_path / "pack", shape)
    engine = CTranslate2Engine(pack, "int8", threads=2)
    batching = DynamicBatching(engine, wait_ms=20, workers=2, expected=lambda: 12)
    words = " ".join(TEXT).split()
    texts = [" ".join(words[number % 7 : number % 7 + 1 + number % 9]) for number in range(60)]
    rows = pack.source_tokenizer.encode_batch(texts)

    def ask(engine, part):
        if shape == "encoder":
            return [vectors.tolist() for vectors in engine.encode(part)]
        return engine.translate(part, SETTINGS)

    alone = [ask(engine, [row])[0] for row in rows]
    parts = [rows[begin : begin + 5] for begin in range(0, 60, 5)]
    found = in_threads(*(lambda part=part: ask(batching, part) for part in parts))
    assert [result for future in found for result in future.result(60)] == alone
    assert batching.batches < 12

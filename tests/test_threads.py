"""Threads and processes: how many work, and that they change no bit of an answer."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from support.corpora import SENTENCES
from support.models import small_model
from support.texts import TEXTS
from support.variants import answers, fresh, unigram_only

from unilid.decisions.answers import Prediction
from unilid.errors import UnilidError
from unilid.model import Model
from unilid.threads import Beside, ahead, cores, number_of_threads


def no_more_threads(*_: object) -> None:
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize("variant", [fresh, unigram_only])
def test_the_number_of_threads_changes_no_bit(variant: Callable[[Model], Model]) -> None:
    model = variant(small_model())
    texts = TEXTS * 200  # enough for five threads to have something to do
    serial = answers(fresh(model), texts, threads=1)
    scores = model.scores(texts, threads=1)
    marginal = model.scores(texts, marginal=True, threads=1)
    for threads in (2, 5):
        assert answers(fresh(model), texts, threads=threads) == serial
        assert (model.scores(texts, threads=threads) == scores).all()
        assert (model.scores(texts, marginal=True, threads=threads) == marginal).all()


def test_texts_of_many_kernel_calls_are_answered_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_model()
    expected = model.identify(TEXTS)
    monkeypatch.setattr("unilid.decisions.decide.CHUNK_TEXTS", 3)
    for threads in (1, 2):
        assert model.identify(TEXTS, threads=threads) == expected

    monkeypatch.setattr(threading.Thread, "start", no_more_threads)
    assert model.identify(TEXTS, threads=2) == expected


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signals to threads")
def test_whoever_interrupts_a_kernel_call_does_not_wait_for_the_next() -> None:
    begun: list[int] = []

    def make(item: int) -> int:
        begun.append(item)
        time.sleep(0.2)  # the caller waits by now
        if item == 0:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        time.sleep(0.5)  # as long as a call that cannot be interrupted
        return item

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what a shell runs in the background
    try:
        with pytest.raises(KeyboardInterrupt):
            list(ahead(make, range(4)))
    finally:
        signal.signal(signal.SIGINT, before)
    assert begun == [0]


def test_callers_on_many_python_threads_get_the_serial_answers() -> None:
    model = fresh(small_model())
    batches = [TEXTS[i:] + TEXTS[:i] for i in range(24)]
    serial = [answers(small_model(), batch) for batch in batches]
    start = threading.Barrier(8)

    def ask(number: int) -> list[list[list[Prediction]]]:
        start.wait()
        return [answers(model, batch, threads=1 + number % 3) for batch in batches]

    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(ask, range(8)):
            assert found == serial


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the address space")
def test_a_machine_without_room_for_more_threads_does_not_end_the_process() -> None:
    program = """
import resource, sys
from pathlib import Path
from random import Random
import unilid
from unilid import UnilidError
model = unilid.load()
texts = [f"good morning number {i}" for i in range(2000)]
expected = model.identify(texts)
room = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + (200 << 20)
resource.setrlimit(resource.RLIMIT_AS, (room, room))
try:
    same = model.identify(texts, threads=1000) == expected
except Exception as error:
    print("raised")
else:
    print("same" if same else "different")
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in ("same", "raised")


def in_a_fork(work: Callable[[], Any]) -> Any:
    forking = multiprocessing.get_context("fork")
    receive, send = forking.Pipe(duplex=False)
    child = forking.Process(target=lambda: send.send(work()))
    child.start()
    try:
        assert receive.poll(60), "the child hangs or died"
        return receive.recv()
    finally:
        child.kill()
        child.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_gives_the_parents_answers() -> None:
    model = fresh(small_model())
    expected = answers(model, TEXTS, threads=3)
    assert in_a_fork(lambda: answers(model, TEXTS, threads=1)) == expected
    assert in_a_fork(lambda: answers(model, TEXTS, threads=3)) == expected
    assert answers(model, TEXTS, threads=3) == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_while_other_threads_are_busy_gives_the_parents_answers() -> None:
    model = fresh(small_model())
    expected = answers(model, TEXTS)
    stop = threading.Event()

    def keep_busy() -> None:
        while not stop.is_set():
            model.identify(SENTENCES, threads=2)

    busy = [threading.Thread(target=keep_busy) for _ in range(3)]
    for thread in busy:
        thread.start()
    try:
        for _ in range(6):
            assert in_a_fork(lambda: answers(model, TEXTS, threads=2)) == expected
    finally:
        stop.set()
        for thread in busy:
            thread.join()


# ---- how many, and work beside the caller's


def test_auto_is_as_many_threads_as_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    assert number_of_threads("auto") == cores() >= 1
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert number_of_threads("auto") == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert number_of_threads("auto") == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert number_of_threads("auto") == 1


@pytest.mark.parametrize("threads", [1, 2, 256, np.int64(3)], ids=repr)
def test_a_number_of_threads_is_that_number(threads: Any) -> None:
    assert number_of_threads(threads) == threads


@pytest.mark.parametrize("threads", [257, 20_000, 2**63, 2**70])
def test_more_threads_than_help_anybody_are_as_many_as_do(threads: int) -> None:
    assert number_of_threads(threads) == 256
    texts = TEXTS * 500
    assert small_model().identify(texts, threads=threads) == small_model().identify(texts, threads=1)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", "all", b"auto", None, True, [2], np.array(["auto", "auto"])])
def test_what_is_no_number_of_threads_is_an_error_that_names_it(threads: Any) -> None:
    with pytest.raises(UnilidError, match="threads must be a whole number from 1, not "):
        number_of_threads(threads)


def failing() -> None:
    raise LookupError("not there")


@pytest.mark.parametrize("threads_start", [True, False])
def test_work_beside_the_caller_gives_its_result_or_its_error(
    threads_start: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not threads_start:
        monkeypatch.setattr(threading.Thread, "start", no_more_threads)
    result, error = Beside(threading.get_ident).result, Beside(failing).result
    assert (result() == threading.get_ident()) != threads_start
    assert result() == result()
    for _ in range(2):
        with pytest.raises(LookupError, match="not there"):
            error()


def test_what_is_made_ahead_comes_in_order_and_only_one_is_ahead() -> None:
    begun: list[int] = []

    def make(item: int) -> int:
        begun.append(item)
        return item * item

    for number, made in enumerate(ahead(make, range(5))):
        assert made == number**2
        assert set(begun) <= set(range(number + 2))
    assert begun == list(range(5))
    assert list(ahead(make, [])) == []

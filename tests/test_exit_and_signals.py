"""Ctrl-C, the end of the interpreter and sub-interpreters, each in a process of its own."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time

import pytest

CALLS = {
    "identify": "model.identify(texts, threads=2)",
    "spans": "model.spans(long)",
    "scores": "model.scores(texts)",
    "marginal": "model.scores(texts, marginal=True)",
    "explain": "model.explain(long)",
    "train": "unilid.train(corpus)",
    "calibrate": "unilid.calibrate(model, prior_from=texts)",
}
PRELUDE = """
import sys, threading, time
import unilid
long = "Der Zug fährt heute nicht, and nobody knows why. " * 4000
texts = [long] * 3
corpus = {label: [f"{label} says good morning {i * 7919 % 1000} times" for i in range(4000)] for label in "ab"}
model = unilid.train({"deu": ["der Zug fährt heute nicht"], "eng": ["nobody knows why"]}, threads=1)
"""


def python(program: str) -> list[str]:
    return [sys.executable, "-c", PRELUDE + program]


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_interpreter_ends_while_daemon_threads_are_in_the_kernel(call: str) -> None:
    program = f"""
def work():
    while True:
        {call}
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
"""
    for _ in range(3):
        done = subprocess.run(python(program), check=False, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or sys.platform == "win32", reason="no signals to processes")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_ctrl_c_ends_a_long_call(call: str) -> None:
    """The call goes on for ever if it is not interrupted, so that whoever does not hear fails by the time limit."""
    program = f"""
import itertools, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what a shell runs in the background
texts = [long] * 200
print("ready", flush=True)
try:
    for _ in itertools.count():
        {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    process = subprocess.Popen(python(program), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)  # in the midst of it
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "interrupted\n", "")


def test_one_long_text_is_interrupted_in_the_midst_of_it() -> None:
    program = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
huge = long * 2000
print("ready", flush=True)
try:
    model.identify(huge)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    process = subprocess.Popen(python(program), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "interrupted\n")


def test_a_model_answers_after_an_interrupted_call() -> None:
    program = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
expected = model.identify(texts[:1])
threading.Timer(0.3, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)).start()
try:
    while True:
        model.identify(texts, threads=2)
except KeyboardInterrupt:
    pass
print(model.identify(texts[:1]) == expected)
"""
    done = subprocess.run(python(program), check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout == "True\n"


def test_a_sub_interpreter_is_refused_with_a_sentence() -> None:
    program = """
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
number = interpreters.create()
inner = '''
import warnings
warnings.simplefilter("ignore")
try:
    import unilid
    unilid.load()
except ImportError as error:
    print(error, flush=True)
'''
interpreters.run_string(number, inner)
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert re.search("sub-?interpreter", done.stdout)  # from Python 3.12 on it may be numpy that refuses, or Python

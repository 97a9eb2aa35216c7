"""Streams are answered as they come, in memory that does not grow, and no faster than they are read."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from support.service import Service, Stream, until

LINE = json.dumps({"text": "Der Zug nach Köln fährt heute leider nicht.", "id": "x" * 800}).encode() + b"\n"


def test_an_answer_comes_before_the_next_line_is_sent(service: Service) -> None:
    stream = Stream(service, "?keep=false")
    for text, label in (("Wo ist der Bahnhof?", "deu_Latn"), ("Where is the station?", "eng_Latn")):
        stream.send(json.dumps({"text": text}).encode() + b"\n")
        assert stream.line()["label"] == label
    half = json.dumps({"text": "Où est la gare ?"}).encode()
    stream.send(half[:9])
    stream.send(half[9:])  # and no end of the line
    stream.finish()
    [last] = stream.rest()
    assert json.loads(last)["label"] == "fra_Latn"
    stream.close()


def test_memory_does_not_grow_with_a_stream(service: Service) -> None:
    def peak() -> int:
        [worker] = service.workers()
        status = Path(f"/proc/{worker}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024

    def through(lines: int) -> int:
        stream = Stream(service)
        counted = []
        reader = threading.Thread(target=lambda: counted.append(len(stream.rest())))
        reader.start()
        for _ in range(lines // 100):
            stream.send(LINE * 100)
        stream.finish()
        reader.join()
        stream.close()
        return counted[0]

    assert through(2000) == 2000
    before = peak()
    assert through(60_000) == 60_000  # 50 MB in, more out
    assert peak() - before < 15_000_000


def test_who_does_not_read_is_not_answered_further(service: Service) -> None:
    """What a client does not take stays with it: the service stops reading its lines, and goes on for others."""
    stream = Stream(service)
    stream.socket.settimeout(0.5)
    sent = 0
    try:
        while sent < 200_000_000:
            stream.send(LINE * 100)
            sent += 100 * len(LINE)
    except TimeoutError:
        pass
    assert 0 < sent < 100_000_000
    assert service.post("/identify", {"text": "Guten Morgen"}).status == 200
    until(lambda: service.metric("unilid_requests_running") == 0, "it is given up")
    stream.close()

"""Text that is no language: how much of it is `zxx`, and how much real text is.

    python benchmarks/no_language.py

A thousand lines of a dozen kinds, made at random; and all FLORES `dev` lines. The model hardly matters: the rules are
in `cpp/words/noise.h`.
"""

import base64
import random
import string
import uuid
from collections import Counter
from collections.abc import Callable

from common import Report, arguments, flores, labelled

import unilid

EMOJI = "😀😂🥰😎🤔👍🙏🎉🔥💯❤️☀️⚽🚀🍕🐱🇫🇷👩‍💻✅⭐"
WORDS = ("alpha", "bravo", "news", "shop", "photo", "video", "blog", "market", "travel", "garden", "music", "login")


def digits(g: random.Random) -> str:
    """Phone numbers, dates, prices, sums, versions."""

    def n(size: int) -> str:
        return "".join(g.choices(string.digits, k=size))

    return g.choice([
        f"+{n(2)} {n(3)} {n(7)}", f"{n(2)}.{n(2)}.{n(4)}", f"${n(3)}.{n(2)}", f"{n(5)}", f"{n(3)} + {n(2)} = {n(3)}",
        f"{n(2)}:{n(2)}", f"{n(2)}%", f"{n(4)}-{n(2)}-{n(2)} {n(2)}:{n(2)}:{n(2)}", f"({n(3)}) {n(3)}-{n(4)}",
        f"1/{n(1)}",
    ])  # fmt: skip


def signs(g: random.Random) -> str:
    """Punctuation, arrows, rules."""
    return "".join(g.choices("!?.,;:-–—…()[]{}*#=+<>|/~^°§«»→★■", k=g.randint(1, 30)))


def address(g: random.Random) -> str:
    """URLs of several kinds."""
    host = f"{g.choice(WORDS)}{g.choice(['', '-' + g.choice(WORDS), str(g.randrange(99))])}"
    end = g.choice(["com", "org", "net", "de", "co.uk", "io", "ru", "info"])
    path = "/".join(g.choices(WORDS, k=g.randint(0, 3)))
    query = g.choice(["", f"?id={g.randrange(10**6)}", f"?q={g.choice(WORDS)}&page={g.randrange(9)}", "#top"])
    known = f"{host}.{g.choice(['com', 'org', 'net'])}/{path}"
    return g.choice(
        [f"https://{host}.{end}/{path}{query}", f"http://www.{host}.{end}/{path}", f"www.{host}.{end}", known]
    )


def email(g: random.Random) -> str:
    """E-mail addresses."""
    name = g.choice([".", "_", "-", ""]).join(g.choices(WORDS, k=2)) + g.choice(["", str(g.randrange(2000))])
    return f"{name}@{g.choice(WORDS)}.{g.choice(['com', 'org', 'de', 'fr', 'co.jp'])}"


def identifier(g: random.Random) -> str:
    """Hashes, UUIDs, base64, serial numbers, hexadecimal colours and addresses."""
    some = "".join(g.choices(string.ascii_uppercase, k=3))
    return g.choice([
        f"{g.getrandbits(128):032x}", f"{g.getrandbits(160):040x}", f"{g.getrandbits(256):064x}",
        str(uuid.UUID(int=g.getrandbits(128), version=4)), base64.b64encode(g.randbytes(g.randint(15, 60))).decode(),
        f"{some}-{g.randrange(2000, 2030)}-{g.randrange(10**5):05d}", f"{some}{g.randrange(10**6):06d}",
        f"0x{g.getrandbits(48):012x}", f"#{g.getrandbits(24):06x}",
        ":".join(f"{g.getrandbits(8):02x}" for _ in range(6)),
    ])  # fmt: skip


def emoji(g: random.Random) -> str:
    """Emoji, with spaces or without."""
    return g.choice(["", " "]).join(g.choices([*EMOJI], k=g.randint(1, 12)))


def mojibake(g: random.Random, lines: list[str]) -> str:
    """Text of other scripts, in UTF-8 read as Latin-1 or Windows-1252, or in an 8-bit encoding read as Latin-1."""
    line = g.choice(lines)[: g.randint(8, 80)]
    return g.choice([
        line.encode().decode("latin-1"), line.encode().decode("cp1252", "replace"),
        line.encode().decode("cp1252", "ignore"),
    ])  # fmt: skip


def main() -> None:
    options = arguments(__doc__)
    report = Report("no_language", "Text that is no language", options.quick)
    corpus = labelled(options.data / "flores200/dev.tsv.xz")
    others = ("rus_Cyrl", "ell_Grek", "cmn_Hans", "arb_Arab", "hin_Deva", "jpn_Jpan", "kor_Hang")
    foreign = [text.decode() for label in others for text in corpus.get(label, [])[:100]]
    foreign = foreign or [
        text.decode() for label, lines in corpus.items() if "Latn" not in label for text in lines[:50]
    ]
    mixed = [digits, signs, address, email, identifier, emoji]
    kinds: dict[str, Callable[[random.Random], str]] = {
        "empty": lambda g: " " * g.randint(0, 3),
        "digits": digits,
        "signs": signs,
        "addresses": address,
        "e-mail addresses": email,
        "identifiers": identifier,
        "emoji": emoji,
        "mojibake": lambda g: mojibake(g, foreign),
        "several of these": lambda g: " ".join(g.choice(mixed)(g) for _ in range(3)),
    }
    train, _ = flores(options.data, options.quick)
    model = unilid.train({label: lines[:100] for label, lines in train.items()})
    generator = random.Random(7)
    count = -(-1000 // len(kinds))
    report.header("kind", "lines", "`zxx`", "reasons")
    found: Counter[str] = Counter()
    for name, make in kinds.items():
        texts = [make(generator) for _ in range(count)]
        answers = model.identify(texts)
        none = [answer for answer in answers if answer.label == "zxx"]
        found.update(zxx=len(none), all=len(texts))
        reasons = Counter(answer.reason for answer in none)
        report.row(name, len(texts), len(none) / len(texts), ", ".join(f"{k} {v}" for k, v in reasons.most_common()))
        if options.quick:
            print([text for text, answer in zip(texts, answers, strict=True) if answer.label != "zxx"][:10])
    report.row("**all**", found["all"], found["zxx"] / found["all"], "")
    ordinary = [text for lines in corpus.values() for text in lines[:: 20 if options.quick else 1]]
    real = [answer.label == "zxx" for answer in model.identify(ordinary)]
    report.row("FLORES `dev` lines", len(real), f"{sum(real) / len(real):.6f}", "")
    report.write()


if __name__ == "__main__":
    main()

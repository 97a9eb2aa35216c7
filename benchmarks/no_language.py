"""Text that is no language: how much of it is `zxx`, and how much real text is.

    python benchmarks/no_language.py

Lines of some fifteen kinds, made at random; all FLORES `dev` lines; and sentences inside markup and code, which are to
be answered as they are alone. The model hardly matters: the rules are in `cpp/words/noise.h`, `markup.h` and `code.h`.
"""

import base64
import random
import re
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


def path(g: random.Random) -> str:
    """Paths of files."""
    folders = g.choices(WORDS, k=g.randint(2, 4))
    name = f"{g.choice(WORDS)}.{g.choice(['py', 'txt', 'java', 'json', 'png', 'md'])}"
    return g.choice([
        "/" + "/".join([*folders, name]), "/".join([*folders, name]), "~/" + name, "./" + name,
        "C:\\" + "\\".join([*folders, name]), f"../{folders[0]}/{name}",
    ])  # fmt: skip


def markup(g: random.Random) -> str:
    """Tags, attributes, comments and entities without a text."""
    a, b, n = g.choice(WORDS), g.choice(WORDS), g.randrange(100)
    return " ".join(g.choices([
        f'<div class="{a} {b}">', "</div>", "<br/>", f'<img src="{a}.png" alt="the {b} of {a}">', "&nbsp;",
        f"&#{n + 200};",
        f"<!-- here the {a} begins -->", f'<a href="https://{a}.example.org/{b}">', "</a>", "<!DOCTYPE html>", "&amp;",
        f"<{a}:{b} id='{n}'/>",
    ], k=g.randint(1, 5)))  # fmt: skip


def code(g: random.Random) -> str:
    """Lines of C, Python, JavaScript and shell."""
    a, b, n = g.choice(WORDS), g.choice(WORDS), g.randrange(100)
    return g.choice([
        f"for (int i = 0; i < {n}; i++) {{\n  {a}[i] = {b}(i);\n}}", f"static int {a}_{b}(const char *{a}) {{",
        f"#include <{a}.h>", f"std::vector<{a}> {b} = {a}::{b}({n});", f"if ({a} == {n}) return {b};",
        f"def {a}({b}, key=None):\n    return {b}[key]", f"import {a}\nimport {b}\n\nprint({a}.{b}())",
        f"self.{a} = {b} + {n}", f"from {a} import {b}", f'if __name__ == "__main__":\n    {a}.{b}()',
        f"const {a} = require('{b}');", f"let {a} = {b}.map(x => x.{a}).filter(x => x > {n});", f"function {a}({b}) {{",
        f"document.getElementById('{a}').{b} = {n};", f"export default function {a}() {{ return {b}; }}",
        f"sudo {a} install --{b} {n}", f"cd ~/{a} && make {b}", f"export {a.upper()}_HOME=/usr/{b}",
        f"grep -r {a} | sort -n > {b}.txt", f"git checkout -b {a}-{b}", f".{a} {{ margin: {n}px; color: #fff; }}",
    ])  # fmt: skip


def data(g: random.Random) -> str:
    """JSON and SQL."""
    a, b, n = g.choice(WORDS), g.choice(WORDS), g.randrange(100)
    return g.choice([
        f'{{"{a}": "{b}", "count": {n}}}', f'[{{"{a}": {n}}}, {{"{b}": null}}]',
        f'{{\n  "{a}": {{\n    "{b}": [{n}, {n + 1}],\n    "valid": true\n  }}\n}}',
        f"SELECT {a}, {b} FROM {a}s WHERE {b} = {n};", f"INSERT INTO {a} ({b}, id) VALUES ('{a}', {n})",
        f"UPDATE {a} SET {b} = {n} WHERE id = {n}", f"CREATE TABLE {a} (id INTEGER, {b} TEXT);",
        f"SELECT * FROM {a} JOIN {b} ON {a}.id = {b}.id",
    ])  # fmt: skip


def log(g: random.Random) -> str:
    """Lines of logs without a message in words."""
    a, b, n = g.choice(WORDS), g.choice(WORDS), g.randrange(100)
    time = f"2024-05-{g.randint(10, 28)} 12:{g.randint(10, 59)}:{g.randint(10, 59)}"
    return g.choice([
        f"{time},{n:03d} INFO [main] {a}.{b}.Main: {n}", f"[{time}] ERROR {a}-{n}: 0x{n:04x}",
        f"May {g.randint(10, 28)} 12:30:{g.randint(10, 59)} {a} {b}[{n}]: 192.168.0.{n}",
        f'192.168.0.{n} - - [17/May/2024:12:30:00 +0000] "GET /{a}/{b} HTTP/1.1" 200 {n}',
    ])  # fmt: skip


BURMESE = (
    "ကျွန်တော် မြို့ထဲကို သွားမယ်။", "ဒီနေ့ ရာသီဥတု သာယာတယ်။", "မင်္ဂလာပါ၊ နေကောင်းလား။", "ကလေးတွေ ကျောင်းသွားကြတယ်။",
    "ပေါင်မုန့် နှစ်လုံး ဝယ်ချင်ပါတယ်။", "သူငယ်ချင်းတွေနဲ့ ဈေးကို သွားမယ်။",
)  # fmt: skip


def zawgyi(g: random.Random) -> str:
    """Burmese as the font Zawgyi writes it: vowel and medial before the consonant, other code points for the rest."""
    text = g.choice(BURMESE).replace("\u103a", "\ue000")
    syllable = re.compile("([\u1000-\u1021])(\u103b?)(\u103c?)(\u103d?)(\u103e?)(\u1031?)")
    medials = str.maketrans("\u103b\u103c\u103d\u103e", "\u103a\u103b\u103c\u103d")
    text = syllable.sub(lambda m: m[6] + m[3].translate(medials) + m[1] + (m[2] + m[4] + m[5]).translate(medials), text)
    return text.replace("\ue000", "\u1039")


SENTENCES = (
    "Where is the next station, please?", "Wo ist der nächste Bahnhof, bitte?", "Où est la gare la plus proche ?",
    "¿Dónde está la estación más cercana?", "Где находится ближайший вокзал?", "Πού είναι ο πλησιέστερος σταθμός;",
    "En yakın istasyon nerede acaba?", "Waar is het dichtstbijzijnde station?", "最近的车站在哪里？",
    "สถานีที่ใกล้ที่สุดอยู่ที่ไหน",
)  # fmt: skip
AROUND: dict[str, str] = {
    "tags": '<p class="lead">{}</p>',
    "a link": '<a href="https://example.org/17" title="Home &amp; Garden">{}</a>&nbsp;',
    "an attribute-rich tag": '<td id="c3" style="color: red; width: 20px" data-key="userName">{}</td>',
    "JSON": '{{"id": 17, "userName": "john", "text": "{}"}}',
    "a program": 'public static void main(String[] args) {{\n  System.out.println("{}");\n  return 0;\n}}',
    "a comment": "int count_words(const char *text);  // {}",
    "a log": "2024-05-17 12:30:00,123 [main] ERROR org.example.Main: {}",
}


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
        "paths": path,
        "markup": markup,
        "code": code,
        "JSON, SQL": data,
        "logs": log,
        "mojibake": lambda g: mojibake(g, foreign),
        "Zawgyi": zawgyi,
        "several of these": lambda g: " ".join(g.choice(mixed)(g) for _ in range(3)),
    }
    train, _ = flores(options.data, options.quick)
    model = unilid.train({label: lines[:100] for label, lines in train.items()})
    generator = random.Random(7)
    count = 112
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
    report.say(
        "\nSentences of ten languages inside something else, and in UTF-16: the share that the default model answers "
        "as it answers them alone.\n"
    )
    report.header("inside", "lines", "same label")
    default = unilid.load()
    alone = dict(zip(SENTENCES, (answer.label for answer in default.identify(SENTENCES)), strict=True))
    inside: dict[str, dict[str, str | bytes]] = {
        name: {sentence: pattern.format(sentence) for sentence in SENTENCES} for name, pattern in AROUND.items()
    }
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):  # without a mark, Chinese is not recognised
        scripts = [sentence for sentence in SENTENCES if encoding == "utf-16" or ord(sentence[0]) < 0x2000]
        inside[encoding] = {sentence: sentence.encode(encoding) for sentence in scripts}
    for name, made in inside.items():
        answers = default.identify(list(made.values()))
        same = [answer.label == alone[sentence] for sentence, answer in zip(made, answers, strict=True)]
        report.row(name, len(same), sum(same) / len(same))
    report.write()


if __name__ == "__main__":
    main()

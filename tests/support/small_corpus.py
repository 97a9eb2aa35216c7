"""A corpus in three languages, and a sentence in each that is not in it."""

from __future__ import annotations

from pathlib import Path

CORPUS = {
    "deu": [
        "Guten Morgen, wie geht es dir heute?",
        "Wir müssen noch Brot und Milch kaufen.",
        "Der alte Mann wohnt am Ende der Straße.",
        "Im Winter wird es hier sehr früh dunkel.",
        "Kannst du mir bitte das Salz geben?",
        "Ich habe den Schlüssel nicht gefunden.",
    ],
    "eng": [
        "Good morning, how are you today?",
        "We still have to buy bread and milk.",
        "The old man lives at the end of the street.",
        "In winter it gets dark very early here.",
        "Could you please pass me the salt?",
        "I have not found the key.",
    ],
    "ell": [
        "Καλημέρα, τι κάνεις σήμερα;",
        "Πρέπει ακόμα να αγοράσουμε ψωμί και γάλα.",
        "Ο γέρος μένει στο τέλος του δρόμου.",
        "Τον χειμώνα νυχτώνει εδώ πολύ νωρίς.",
        "Μου δίνεις σε παρακαλώ το αλάτι;",
        "Δεν βρήκα το κλειδί.",
    ],
}
GERMAN, ENGLISH, GREEK = "Der Mann kauft heute Brot.", "The man is buying bread today.", "Ο γέρος αγοράζει ψωμί."


def write_corpus(path: Path, corpus: dict[str, list[str]] = CORPUS) -> Path:
    rows = [f"{label}\t{text}\n" for label, texts in corpus.items() for text in texts]
    path.write_text("".join(rows), encoding="utf-8")
    return path

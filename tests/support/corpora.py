"""A small corpus in five languages, and sentences that a grammar makes in four."""

from __future__ import annotations

from itertools import product
from random import Random

CORPUS = {
    "dan": [
        "Fiskeren reparerer sit net ved havnen.",
        "Der ligger sne på taget endnu i dag.",
        "Hvorfor kommer bussen altid for sent?",
        "Hun gav mig en rød æske med tolv søm.",
        "Vi så to ræve løbe over den grønne mark.",
        "Prøv igen, når regnen er holdt op.",
    ],
    "ell": [
        "Ο ψαράς διορθώνει τα δίχτυα στο λιμάνι.",
        "Η σκεπή έχει ακόμα χιόνι σήμερα.",
        "Γιατί αργεί πάντα το λεωφορείο;",
        "Μου έδωσε ένα κόκκινο κουτί με 12 καρφιά.",
        "Είδαμε δύο αλεπούδες να τρέχουν στο χωράφι.",
        "Δοκίμασε ξανά όταν σταματήσει η βροχή.",
    ],
    "eng": [
        "The fisherman mends his nets in the harbour.",
        "There is still snow on the roof today.",
        "Why does the bus always come too late?",
        "She gave me a red box with twelve nails.",
        "We saw two foxes running across the green field.",
        "Try again when the rain has stopped.",
    ],
    "jpn": [
        "漁師は港で網を直している。",
        "今日も屋根に雪が残っている。",
        "どうしてバスはいつも遅れるのですか。",
        "彼女は私に12本の釘が入った赤い箱をくれた。",
        "緑の野原を二匹の狐が走るのを見た。",
        "雨がやんだら、もう一度やってみて。",
    ],
    "nob": [
        "Fiskeren reparerer garnet sitt ved havna.",
        "Det ligger snø på taket ennå i dag.",
        "Hvorfor kommer bussen alltid for seint?",
        "Hun ga meg en rød eske med tolv spiker.",
        "Vi så to rever løpe over den grønne enga.",
        "Prøv igjen når regnet har gitt seg.",
    ],
}

SENTENCES = [sentence for sentences in CORPUS.values() for sentence in sentences]


# Subjects, verbs, objects and places: enough sentences to fit thresholds on. The second is close to the first.
GRAMMARS = {
    "deu_Latn": [
        "der alte Mann|meine Schwester|ein kleiner Hund|unser Lehrer|die große Frau|sein Nachbar|der Bäcker|niemand",
        "kauft|findet|sieht|möchte|vergisst|malt|verkauft|trägt",
        "frisches Brot|eine rote Kiste|das grüne Fahrrad|zwölf Eier|einen Brief|den Stuhl|warme Milch|einige Äpfel",
        "im Garten|hinter dem Haus|beim Bahnhof|auf der Brücke|nach dem Essen|jeden Morgen|am Markt|vor dem Winter",
    ],
    "dum_Latn": [
        "de olle Mann|meine Süster|een kleiner Hund|unse Lehrer|de grote Frau|sien Nachbar|de Bäcker|nüms",
        "köfft|findt|süht|möchte|vergitt|malt|verköfft|driggt",
        "frisches Broot|eene rode Kiste|dat gröne Rad|twölf Eier|eenen Breef|den Stohl|warme Melk|einige Appels",
        "in'n Garten|achter dem Huus|beim Bahnhof|op de Brügg|na dem Eten|jeden Morgen|am Markt|för dem Winter",
    ],
    "eng_Latn": [
        "the old man|my sister|a small dog|our teacher|the tall woman|his neighbour|the young baker|nobody",
        "buys|finds|sees|wants|forgets|paints|sells|carries",
        "fresh bread|a red box|the green bicycle|twelve eggs|a long letter|the broken chair|warm milk|some apples",
        "in the garden|behind the house|near the station|on the bridge|after dinner|at dawn|at the market|in winter",
    ],
    "rus_Cyrl": [
        "старый человек|моя сестра|маленькая собака|наш учитель|высокая женщина|его сосед|молодой пекарь|никто",
        "покупает|находит|видит|хочет|забывает|рисует|продаёт|несёт",
        "свежий хлеб|красную коробку|зелёный велосипед|двенадцать яиц|длинное письмо|сломанный стул|молоко|яблоки",
        "в саду|за домом|возле вокзала|на мосту|после ужина|каждое утро|на рынке|перед зимой",
    ],
}


def sentences(label: str, count: int, *, seed: int = 0) -> list[str]:
    """Different sentences of a language, drawn anew for every seed."""
    parts = [part.split("|") for part in GRAMMARS[label]]
    drawn = Random(f"{label} {seed}").sample(list(product(*parts)), count)
    return [f"{' '.join(words).capitalize()}." for words in drawn]


def text_of_all(count: int, *, seed: int = 0) -> dict[str, list[str]]:
    return {label: sentences(label, count, seed=seed) for label in GRAMMARS}

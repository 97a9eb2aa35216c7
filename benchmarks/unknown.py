"""How many lines of languages that the model does not know come back as `und`.

    python benchmarks/unknown.py

FLORES, lines 1 to 500 train, 501 to 997 measure. Twenty languages are left out of training: three with a script of
their own, seven without a close relative in the model, ten with one.
"""

from common import Report, arguments, flores

import unilid

SCRIPTS = ["kat_Geor", "lao_Laoo", "sat_Olck"]
ALONE = ["eus_Latn", "cym_Latn", "hun_Latn", "mlt_Latn", "quy_Latn", "som_Latn", "vie_Latn"]
RELATED = ["afr_Latn", "ast_Latn", "bul_Cyrl", "est_Latn", "hrv_Latn", "kir_Cyrl", "nno_Latn", "npi_Deva", "oci_Latn",
           "xho_Latn"]  # fmt: skip


def main() -> None:
    options = arguments(__doc__)
    report = Report("unknown", "Languages that the model does not know: share of lines answered `und`", options.quick)
    train, held = flores(options.data, options.quick)
    groups = [SCRIPTS, ALONE, RELATED]
    if options.quick:  # every tenth language is there
        groups = [[label] for label in list(held)[:3]]
    out = dict(zip(["a script of their own", "without a relative", "with one"], groups, strict=True))
    unknown = [label for labels in out.values() for label in labels]
    model = unilid.train({label: lines for label, lines in train.items() if label not in unknown})
    known = [text for label, lines in held.items() if label not in unknown for text in lines]
    report.say(f"{len(model.languages)} languages known; false rejections: of their {len(known)} test lines.\n")
    report.header("`abstain=`", "false rejections", *(f"{name} ({len(labels)})" for name, labels in out.items()), "all")
    for rate in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1):

        def rejected(texts: list[bytes], rate: float = rate) -> float:
            answers = model.identify(texts, abstain=rate)
            return sum(answer.label == "und" for answer in answers) / len(answers)

        shares = [rejected([text for label in labels for text in held[label]]) for labels in out.values()]
        every = rejected([text for label in unknown for text in held[label]])
        report.row(rate, rejected(known), *shares, every)
    report.write()


if __name__ == "__main__":
    main()

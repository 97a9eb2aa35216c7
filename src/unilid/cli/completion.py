"""``unilid completion``: scripts that let a shell complete the command line, written from its parser.

Labels are asked of the command itself, once a shell, when the first one is to be completed.

Not by shtab (1.13): in bash it runs what completes an argument in a subshell, which can neither keep the labels for the
next time nor leave the space away behind a label in a list (``-l deu_Latn,eng_Latn``).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from shlex import quote

ABOUT = (
    "Write a script that lets a shell complete this command: verbs, options, files, labels. In ~/.bashrc: "
    "source <(unilid completion bash); in ~/.zshrc, after compinit: source <(unilid completion zsh); for fish: "
    "unilid completion fish > ~/.config/fish/completions/unilid.fish"
)
EXAMPLE = "unilid completion bash > unilid.bash"

SHELLS = ("bash", "zsh", "fish")

_FILES = {"FILE", "FOLDER", "CORPUS", "MODEL", "N|FILE", "P|FILE"}
"""Arguments, as the help writes them, that are files."""
_LABELS = {"LABEL", "QUERY"}
_LIST_OF_LABELS = "A,B,..."
_ASK = "{} languages --to tsv 2>/dev/null | tail -n +2 | cut -f1"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add what this verb takes."""
    command.add_argument("shell", choices=SHELLS, metavar="SHELL", help="bash, zsh or fish")


def run(options: argparse.Namespace) -> None:
    """Write a completion script."""
    print(script(options.shell, options.parser()), end="")


@dataclass(frozen=True, slots=True)
class Argument:
    """What may stand at a place of the command line: one of some words, a file, a label, labels with commas."""

    kind: str
    """``words``, ``file``, ``label``, ``labels`` or, for what cannot be completed, ``other``."""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """An option: how it is written and what follows it."""

    flags: tuple[str, ...]
    help: str
    argument: Argument | None
    """None for an option that stands alone."""
    repeated: bool = False
    """Whether it may stand there more than once, or with several arguments."""


@dataclass(frozen=True, slots=True)
class Verb:
    """A command with its options."""

    name: str
    help: str
    options: tuple[Option, ...]
    positional: Argument | None


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """Return a shell's completion script for the command line of a parser."""
    write = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]
    return "\n".join(write(parser.prog, [*_verbs(parser)])) + "\n"


def _verbs(parser: argparse.ArgumentParser) -> Iterator[Verb]:
    [commands] = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    helps = {action.dest: action.help or "" for action in commands._choices_actions}
    for name, command in commands.choices.items():
        options, positional = [], None
        for action in command._actions:
            if action.option_strings:
                argument = None if action.nargs == 0 else _argument(action)
                flags = tuple(action.option_strings)
                repeated = action.nargs == "+" or isinstance(action, argparse._AppendAction)
                options.append(Option(flags, _sentence(action), argument, repeated))
            else:
                positional = _argument(action)  # the last: `add LABEL FILE...` goes on with files
        yield Verb(name, helps[name], tuple(options), positional)


def _argument(action: argparse.Action) -> Argument:
    if action.choices is not None:
        return Argument("words", tuple(map(str, action.choices)))
    metavar = str(action.metavar)
    if metavar == _LIST_OF_LABELS:
        return Argument("labels")
    return Argument("file" if metavar in _FILES else "label" if metavar in _LABELS else "other")


def _sentence(action: argparse.Action) -> str:
    return (action.help or action.dest.replace("_", " ")).replace("%%", "%")


def _bash(program: str, verbs: Sequence[Verb]) -> Iterator[str]:
    """No match leaves the reply empty, and `-o default` completes files then."""
    reply = 'COMPREPLY=($(compgen -W {} -- "$word"))'
    labels = f"_{program}_labels"
    some = f'{labels}; COMPREPLY=($(compgen -W "${labels}" -P "$before" -- "${{word##*,}}"))'
    replies = {"label": some, "labels": f"{some}; compopt -o nospace"}

    def complete(argument: Argument) -> str:
        if argument.kind == "words":
            return reply.format(quote(" ".join(argument.words)))
        return replies.get(argument.kind, ":")

    yield f'{labels}() {{ [[ -n "${labels}" ]] || {labels}=$({_ASK.format(program)}); }}'
    yield f"_{program}() {{"
    yield '    local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" before=""'
    yield '    [[ "$word" == *,* ]] && before="${word%,*},"'
    yield "    COMPREPLY=()"
    yield "    if ((COMP_CWORD == 1)); then"
    yield f"        {reply.format(quote(' '.join([*(verb.name for verb in verbs), '--help', '--version'])))}"
    yield "        return"
    yield "    fi"
    yield '    case "${COMP_WORDS[1]} $previous" in'
    for verb in verbs:
        for option in verb.options:
            if option.argument is not None:
                patterns = "|".join(quote(f"{verb.name} {flag}") for flag in option.flags)
                yield f"        {patterns}) {complete(option.argument)}; return ;;"
    yield "    esac"
    yield '    case "${COMP_WORDS[1]}" in'
    for verb in verbs:
        flags = " ".join(flag for option in verb.options for flag in option.flags)
        positional = complete(verb.positional) if verb.positional else ":"
        yield f"        {verb.name})"
        yield f'            if [[ "$word" == -* ]]; then {reply.format(quote(flags))}'
        yield f"            else {positional}; fi ;;"
    yield "    esac"
    yield "}"
    yield f"complete -o default -F _{program} {program}"


def _zsh(program: str, verbs: Sequence[Verb]) -> Iterator[str]:
    actions = {"file": "_files", "label": "_unilid_label", "labels": "_unilid_labels", "other": " "}

    def complete(argument: Argument) -> str:
        if argument.kind == "words":
            return f"({' '.join(argument.words)})"
        return actions[argument.kind].replace("unilid", program)

    def escaped(text: str) -> str:
        return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")

    def specification(option: Option) -> Iterator[str]:
        several = f"({' '.join(option.flags)})" if len(option.flags) > 1 else ""
        for flag in option.flags:
            follows = f":{option.flags[-1].lstrip('-')}:{complete(option.argument)}" if option.argument else ""
            if option.repeated:
                yield f"*{flag}[{escaped(option.help)}]{follows}"
            else:
                yield f"{several}{flag}[{escaped(option.help)}]{follows}"

    yield f"#compdef {program}"
    all_labels = f"_{program}_all_labels"
    yield f'_{program}_ask() {{ (( $#{all_labels} )) || {all_labels}=(${{(f)"$({_ASK.format(program)})"}}) }}'
    yield f"_{program}_label() {{ _{program}_ask; compadd -a {all_labels} }}"
    yield f"_{program}_labels() {{ _{program}_ask; _sequence compadd - -a {all_labels} }}"
    yield f"_{program}() {{"
    yield "    local curcontext=$curcontext state line"
    yield "    typeset -A opt_args"
    yield "    _arguments -C '(- *)--help[show this help]' '(- *)--version[show the version]' '1:command:->command' \\"
    yield "        '*::argument:->argument'"
    yield "    case $state in"
    yield "    command)"
    yield "        local -a commands"
    yield f"        commands=({' '.join(quote(f'{verb.name}:{escaped(verb.help)}') for verb in verbs)})"
    yield "        _describe command commands ;;"
    yield "    argument)"
    yield "        case $words[1] in"
    for verb in verbs:
        specifications = [quote(line) for option in verb.options for line in specification(option)]
        if verb.positional is not None:
            specifications.append(quote(f"*:argument:{complete(verb.positional)}"))
        yield f"        {verb.name}) _arguments {' '.join(specifications)} ;;"
    yield "        esac ;;"
    yield "    esac"
    yield "}"
    yield f'if [[ "${{funcstack[1]}}" == _{program} ]]; then _{program} "$@"; else compdef _{program} {program}; fi'


def _fish(program: str, verbs: Sequence[Verb]) -> Iterator[str]:
    every_label = f"(_{program}_labels)"
    # What was typed before the last comma goes before every label.
    lists = f"(commandline -ct | string replace -r '[^,]*$' ''){every_label}"

    def complete(argument: Argument) -> str:
        if argument.kind == "words":
            return f" -x -a {_fish_quote(' '.join(argument.words))}"
        kinds = {
            "file": " -r -F",
            "label": f" -x -a {_fish_quote(every_label)}",
            "labels": f" -x -a {_fish_quote(lists)}",
        }
        return kinds.get(argument.kind, " -x")

    yield f"function _{program}_labels"
    yield f"    set -q _{program}_all_labels; or set -g _{program}_all_labels ({_ASK.format(program)})"
    yield f"    string join \\n $_{program}_all_labels"
    yield "end"
    yield f"complete -c {program} -n __fish_use_subcommand -f -l help -s h -d 'show this help'"
    yield f"complete -c {program} -n __fish_use_subcommand -f -l version -d 'show the version'"
    for verb in verbs:
        yield (f"complete -c {program} -n __fish_use_subcommand -f -a {verb.name} -d {_fish_quote(verb.help)}")
    for verb in verbs:
        here = f"complete -c {program} -n '__fish_seen_subcommand_from {verb.name}'"
        if verb.positional is not None and verb.positional.kind != "file":
            yield here + complete(verb.positional).replace(" -x", " -f", 1)
        for option in verb.options:
            names = "".join(f" -l {flag[2:]}" if flag.startswith("--") else f" -s {flag[1:]}" for flag in option.flags)
            follows = complete(option.argument) if option.argument else " -f"
            yield f"{here}{names}{follows} -d {_fish_quote(option.help)}"


def _fish_quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

"""The manual page and the completions of speechgate, made from what its own --help says.

    python3 scripts/command_help.py PROGRAM (man | bash | zsh | fish)

Nothing is written twice: a verb or option that the program learns appears here by itself.
"""

import re
import subprocess
import sys
from dataclasses import dataclass, field


@dataclass
class Verb:
    words: list[str]
    operand: str
    summary: str
    text: str = ""
    options: list[tuple[str, str, str]] = field(default_factory=list)  # name, value, help


def help_of(program, *words):
    asked = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True, timeout=30)
    return asked.stdout


def section(text, title):
    found = re.search(rf"^{title}:\n((?:(?:  .*)?\n)+)", text + "\n", re.M)
    return found.group(1) if found else ""


def options(text):
    """Name, value and help of each option; a help of several lines stands below itself."""
    found = []
    for line in section(text, "Options").splitlines():
        if start := re.match(r"  (--[a-z-]+)(?: ([A-Z]+))?(?:  +(.*))?$", line):
            found.append([start[1], start[2] or "", start[3] or ""])
        elif found and line.strip():
            found[-1][2] = f"{found[-1][2]} {line.strip()}".strip()
    return [tuple(option) for option in found]


def read(program):
    text = help_of(program)
    verbs = []
    for line in section(text, "Verbs").splitlines():
        if entry := re.match(r"  ([a-z]+(?: [a-z]+)*)(?: ([A-Z]+))?  +(.*)$", line):
            verbs.append(Verb(entry[1].split(), entry[2] or "", entry[3]))
    if not verbs:
        sys.exit(f"{program} --help names no verbs")
    for verb in verbs:
        verb.text = help_of(program, *verb.words)
        verb.options = options(verb.text)
    return text, verbs


def roff(text):
    """Text as it stands, without what troff takes for a request or an escape."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\n".join("\\&" + line if line.startswith(".") else line for line in escaped.splitlines())


def manual(program, text, verbs):
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    first, rest = text.split("\n", 1)
    parts = [
        f'.TH SPEECHGATE 8 "" "speechgate {version}" "System administration"',
        ".SH NAME", f"speechgate \\- {roff(first[0].lower() + first[1:].rstrip('.'))}",
        ".SH SYNOPSIS", ".B speechgate", roff("VERB [ARGUMENT]... [OPTION]..."),
        ".SH DESCRIPTION", ".nf", roff(rest.strip()), ".fi",
        ".SH VERBS",
    ]  # fmt: skip
    for verb in verbs:
        parts += [f".SS {roff(' '.join(verb.words + [verb.operand]).strip())}", ".nf", roff(verb.text.strip()), ".fi"]
    parts += [
        ".SH FILES",
        ".TP", ".I /etc/speechgate/speechgate.json5", "the configuration",
        ".TP", ".I /var/lib/speechgate", "the store, the lock and the control socket",
        ".SH EXIT STATUS", roff("0, or a number of sysexits.h: 64 usage, 69 address taken, 75 another gateway has the "
        "state directory, 77 permissions, 78 configuration."),
        ".SH SEE ALSO", ".BR systemd.service (5),", ".BR systemd.socket (5)",
    ]  # fmt: skip
    return "\n".join(parts) + "\n"


def tree(verbs):
    """First words, and the second words that follow each."""
    words = {}
    for verb in verbs:
        words.setdefault(verb.words[0], [])
        if len(verb.words) > 1:
            words[verb.words[0]].append(verb)
    return words


def bash(verbs):
    lines = ["# bash completion for speechgate, made from its --help", "_speechgate() {"]
    lines += ['    local word=${COMP_WORDS[COMP_CWORD]} verb="${COMP_WORDS[1]:-}" second="${COMP_WORDS[2]:-}" words=""']
    lines += ['    case "${COMP_WORDS[COMP_CWORD-1]}" in --config | --ready-file) COMPREPLY=($(compgen -f -- "$word")); return ;; esac']
    lines += ["    if ((COMP_CWORD == 1)); then", f'        words="{" ".join(tree(verbs))} --help --version"', "    else"]
    lines += ['        case "$verb $second" in']
    for verb in sorted(verbs, key=lambda verb: -len(verb.words)):
        pattern = f'"{" ".join(verb.words)}"' if len(verb.words) > 1 else f'"{verb.words[0]} "*'
        lines.append(f'            {pattern}) words="{" ".join(name for name, _, _ in verb.options)}" ;;')
    lines += ["        esac"]
    for first, seconds in tree(verbs).items():
        if seconds:
            names = " ".join(verb.words[1] for verb in seconds)
            lines.append(f'        if ((COMP_CWORD == 2)) && [[ $verb == {first} ]]; then words="$words {names}"; fi')
    lines += ["    fi", '    COMPREPLY=($(compgen -W "$words" -- "$word"))', "}", "complete -o default -F _speechgate speechgate"]
    return "\n".join(lines) + "\n"


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh(verbs):
    def described(name, text):
        return quoted(f"{name}:{text.replace(':', chr(92) + ':')}")

    def specs(verb):
        for name, value, text in verb.options:
            text = re.sub(r"[\[\]:]", " ", text)
            after = ":file:_files" if name in ("--config", "--ready-file") else f":{value.lower()}:" if value else ""
            yield quoted(f"{name}[{text}]{after}")

    lines = ["#compdef speechgate", "# zsh completion for speechgate, made from its --help", "local -a verbs seconds"]
    lines += ["verbs=("]
    for first, seconds in tree(verbs).items():
        plain = next((verb.summary for verb in verbs if verb.words == [first]), None)
        lines.append(f"    {described(first, plain or ', '.join(verb.words[1] for verb in seconds))}")
    lines += [")", "if ((CURRENT == 2)); then", "    _describe verb verbs", "    return", "fi"]
    for first, seconds in tree(verbs).items():
        if seconds:
            names = " ".join(described(verb.words[1], verb.summary) for verb in seconds)
            lines += [f"if [[ $words[2] == {first} ]] && ((CURRENT == 3)); then", f"    seconds=({names})"]
            lines += ["    _describe word seconds", "fi"]
    lines += ['case "$words[2] $words[3]" in']
    for verb in sorted(verbs, key=lambda verb: -len(verb.words)):
        pattern = quoted(" ".join(verb.words)) if len(verb.words) > 1 else quoted(verb.words[0] + " ") + "*"
        lines.append(f"    {pattern}) _arguments {' '.join(specs(verb))} '*:argument:_files' ;;")
    return "\n".join(lines + ["esac"]) + "\n"


def fish(verbs):
    lines = ["# fish completion for speechgate, made from its --help", "complete -c speechgate -f"]
    for first, seconds in tree(verbs).items():
        plain = next((verb.summary for verb in verbs if verb.words == [first]), None)
        text = plain or ", ".join(verb.words[1] for verb in seconds)
        lines.append(f"complete -c speechgate -n __fish_use_subcommand -a {first} -d {quoted(text)}")
    for verb in verbs:
        seen = " && ".join(f"__fish_seen_subcommand_from {word}" for word in verb.words)
        if len(verb.words) > 1:
            here = f"__fish_seen_subcommand_from {verb.words[0]} && not __fish_seen_subcommand_from {verb.words[1]}"
            lines.append(f"complete -c speechgate -n {quoted(here)} -a {verb.words[1]} -d {quoted(verb.summary)}")
        for name, value, text in verb.options:
            kind = " -r" if value else ""
            file = " -F" if name in ("--config", "--ready-file") else ""
            lines.append(f"complete -c speechgate -n {quoted(seen)} -l {name[2:]}{kind}{file} -d {quoted(text)}")
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("man", "bash", "zsh", "fish"):
        sys.exit(__doc__)
    text, verbs = read(sys.argv[1])
    made = manual(sys.argv[1], text, verbs) if sys.argv[2] == "man" else globals()[sys.argv[2]](verbs)
    sys.stdout.write(made)


if __name__ == "__main__":
    main()

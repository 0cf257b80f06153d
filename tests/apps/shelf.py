"""Write apps to disk, and read the replies about them."""

from __future__ import annotations

from pathlib import Path

from stringd.testing.process import DaemonProcess

PAGE = """---
name: {name}
namespace: {namespace}
version: 1.0.0
requires: [KEY]
---
[!nav:main](nav/main.md)

# {title}

Read [the guide](guide.md) or [the docs](https://example.com/docs).

```act.say
CLI ./say {{word}}
  word: string (required) "What to say"
```
"""
SAY = '#!/bin/bash\nprintf "%s %s" "$1" "$KEY"\n'


def write_app(folder: Path, name: str = "parrot", namespace: str = "zoo", title: str = "Parrot") -> Path:
    """An app of several files, one of them a program."""
    put(folder / "string.md", PAGE.format(name=name, namespace=namespace, title=title))
    put(folder / "nav" / "main.md", "[@guide Guide](../guide.md)\n")
    put(folder / "guide.md", "# Guide\n\nSpeak clearly.\n")
    put(folder / "say", SAY).chmod(0o755)
    return folder


def put(path: Path, text: str) -> Path:
    """A file with this text, directories and all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def said(daemon: DaemonProcess, cmd: str, topic: str = "file:main", user: str = "default") -> str:
    """What a command answers, without its label."""
    return daemon.exec(cmd, topic, user).content.partition("\n")[2]


def refused(daemon: DaemonProcess, cmd: str, topic: str = "file:main") -> tuple[str, str]:
    """The code and the text of a command that must fail."""
    reply = daemon.exec(cmd, topic)
    assert not reply.head["ok"], reply.content
    return reply.head["code"], reply.content.partition("\n")[2]

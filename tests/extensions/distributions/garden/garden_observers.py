"""A diary of what has ended, in the file that GARDEN_DIARY names; a mole and a crow spoil every event."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from stringd.plugin import Event, Observer, hookimpl


def note(event: Event) -> None:
    if name := os.environ.get("GARDEN_DIARY"):
        with Path(name).open("a", encoding="utf-8") as diary:
            print(json.dumps(asdict(event)), file=diary)


def dig(_: Event) -> None:
    raise RuntimeError("the mole was here")


def fly(_: Event) -> None:
    sys.exit("the crow has left")


@hookimpl
def stringd_observers() -> Iterable[Observer]:
    return [
        Observer(name="crow", on_event=fly),
        Observer(name="mole", on_event=dig),
        Observer(name="diary", on_event=note),
    ]

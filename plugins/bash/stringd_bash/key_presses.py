"""Press keys in the program that a topic runs, in the order in which they were sent."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Sequence

from msgspec import Struct

from stringd.plugin import ErrorCode, Invocation, Refusal
from stringd.plugin.effects import TypedInput, permit
from stringd.plugin.text import MASK
from stringd_bash.evaluation import Evaluation
from stringd_bash.keys import ESCAPE, encode_keys
from stringd_bash.topic_shell import TopicShell

# Longer than programs wait for the rest of a key that begins with Escape; vim waits for 0.1 seconds.
_ESCAPE_SECONDS = 0.12
_PRESS_SECONDS = 0.5
_NOT_TYPED = "Nothing was typed."
_TYPE = re.compile(r"//\s*type\s+(?P<arguments>.*)", re.DOTALL)
_OPTION = "--secret"


class PressedKeys(Struct, frozen=True, kw_only=True):
    """The keys to press, as `//keys` and `//type` take them."""

    text: str
    waits: bool = True
    is_secret: bool = False
    """Whether they are to be typed only where nothing shows them."""

    @classmethod
    def to_type(cls, arguments: str) -> PressedKeys:
        """Parse the arguments of `//type`."""
        option, _, rest = arguments.partition(" ")
        is_secret = option == _OPTION
        return cls(text=rest if is_secret else arguments, waits=False, is_secret=is_secret)


def masked_typing(text: str) -> str:
    """Return a `//type` as it may be shown wherever it is."""
    found = _TYPE.match(text)
    is_secret = found is not None and PressedKeys.to_type(found["arguments"]).is_secret
    return f"//type {MASK}" if is_secret else text


class KeyPresses:
    """Types keys after those that were sent before have been typed."""

    def __init__(self, topic_shell: TopicShell, hides_typing: Callable[[], bool]) -> None:
        self._topic_shell = topic_shell
        self._hides_typing = hides_typing
        self._turn = asyncio.Lock()
        self._escaped_at = 0.0

    async def press(self, invocation: Invocation, keys: PressedKeys) -> Evaluation:
        """Press keys, and return what has got them."""
        topic_shell = self._topic_shell
        portions = encode_keys(keys.text, topic_shell.recent.key_modes)
        evaluation = topic_shell.running
        if evaluation is None:
            raise Refusal(ErrorCode.CONFLICT, "No program is running that could take keys.")
        self._require_hidden(keys)
        await permit(TypedInput(text=invocation.label))
        async with self._turn:
            if evaluation is not topic_shell.running:
                raise Refusal(ErrorCode.CONFLICT, "The program has ended meanwhile.", _NOT_TYPED)
            self._require_hidden(keys)
            topic_shell.resize()
            await self._type(evaluation, portions)
        return evaluation

    def _require_hidden(self, keys: PressedKeys) -> None:
        if keys.is_secret and not self._hides_typing():
            raise Refusal(ErrorCode.CONFLICT, "The program would show what is typed.", _NOT_TYPED)

    async def _type(self, evaluation: Evaluation, portions: Sequence[bytes]) -> None:
        """Type keys, with a pause after each Escape, as a person makes one."""
        for keys in portions:
            pause = self._escaped_at + _ESCAPE_SECONDS - time.monotonic()
            if pause > 0:
                await evaluation.shell.terminal.wait_read(_PRESS_SECONDS)
                await asyncio.sleep(_ESCAPE_SECONDS)
            if evaluation is not self._topic_shell.running:
                return
            self._topic_shell.press(keys)
            self._escaped_at = time.monotonic() if keys.endswith(ESCAPE.encode()) else 0.0

"""The screens of bash topics, as the console's hook for screens wants them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import ExitStack
from weakref import WeakKeyDictionary

from msgspec import Struct, field

from stringd_bash.bash_topic import BashTopic
from stringd_bash.console_screen.live_screen import LiveScreen
from stringd_bash.open_topics import OpenTopics, TopicKey
from stringd_console import ScreenPicture, ScreenState, TopicScreen, Typed

# A program may change the terminal's modes after it has shown a prompt, or any time later.
_SOON_SECONDS, _LATER_SECONDS = 0.15, 1.0
_UNUSED_SECONDS = 60.0
_UNFIT = {it: None for it in (*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000)) if it != 9}
_LINE_ENDS = str.maketrans({"\r": "\n", "\u2028": "\n", "\u2029": "\n"})


class TopicScreens(Struct):
    """Draws the screens that are watched; one that nobody asks for any more is forgotten."""

    topics: OpenTopics
    _screens: WeakKeyDictionary[BashTopic, LiveScreen] = field(default_factory=WeakKeyDictionary)
    _ends: WeakKeyDictionary[BashTopic, asyncio.TimerHandle] = field(default_factory=WeakKeyDictionary)

    def hook(self, topic_type: str) -> TopicScreen:
        """Return the record for the console."""
        return TopicScreen(
            name=topic_type,
            picture=self._picture,
            changes=self._changes,
            line_command=line_command,
            keys_command=keys_command,
            secret_command=secret_command,
        )

    async def _picture(self, user_id: str, name: str) -> ScreenPicture:
        topic = self.topics.find((user_id, name))
        if topic is None:
            return ScreenPicture(state=ScreenState.ABSENT)
        shell = topic.topic_shell
        program = topic.program
        view = await self._screen(topic).view(shell.view.size, is_idle=program is None)
        state = ScreenState.IDLE if topic.has_shell else ScreenState.ABSENT
        return ScreenPicture(
            state=state if program is None else ScreenState.RUNNING,
            rows=view.rows,
            columns=shell.view.size.columns,
            lines=shell.view.size.rows,
            cursor=view.cursor,
            prompt="" if program is not None else f"{shell.shown_directory} $",
            program=program or "",
            is_full_screen=view.is_full_screen,
            hides_typing=topic.hides_keys,
        )

    async def _changes(self, user_id: str, name: str) -> AsyncGenerator[object, None]:
        key: TopicKey = (user_id, name)
        changed = asyncio.Event()
        seconds: float | None = None
        with self.topics.watch(key, changed.set):
            while True:
                topic = self.topics.find(key)
                with ExitStack() as watching:
                    if topic:
                        watching.enter_context(topic.topic_shell.recent.watch(changed.set))
                    while topic is self.topics.find(key):
                        seconds = await _pause(changed, seconds, topic)
                        yield None

    def _screen(self, topic: BashTopic) -> LiveScreen:
        """Return the screen of a topic, which is kept until nobody has asked for it for a while."""
        screen = self._screens.get(topic)
        if screen is None:
            screen = self._screens[topic] = LiveScreen(topic.topic_shell.recent, topic.topic_shell.view.size)
        if ending := self._ends.get(topic):
            ending.cancel()
        loop = asyncio.get_running_loop()
        self._ends[topic] = loop.call_later(_UNUSED_SECONDS, self._screens.pop, topic, None)
        return screen


async def _pause(changed: asyncio.Event, seconds: float | None, topic: BashTopic | None) -> float | None:
    """Wait for a change, at most so long; return how long to wait for the next one."""
    try:
        async with asyncio.timeout(seconds):
            await changed.wait()
        changed.clear()
    except TimeoutError:
        return _LATER_SECONDS if topic and topic.program is not None else None
    return _SOON_SECONDS


def line_command(text: str) -> str:
    """Return the command for a line that is typed at the shell's prompt."""
    return text if text.startswith("//") else f"//run {text}"


def keys_command(typed: Sequence[Typed]) -> str:
    """Return the command that types keys, and leaves what they do to the next reply."""
    return " ".join(("//type", *(word for it in typed for word in _words(it))))


def secret_command(text: str) -> str:
    """Return the command that types a line where nothing shows it."""
    return f"//type --secret {_quoted(text)} Enter"


def _words(typed: Typed) -> Sequence[str]:
    if typed.key:
        return (typed.key,)
    lines = typed.text.replace("\r\n", "\n").translate(_LINE_ENDS).split("\n")
    words = [word for line in lines for word in ("Enter", _quoted(line)) if word != '""'][1:]
    return ("PasteStart", *words, "PasteEnd") if typed.is_pasted else words


def _quoted(text: str) -> str:
    fit = text.translate(_UNFIT).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{fit}"'

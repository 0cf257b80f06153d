"""Screens of bash topics on their pages, without a browser: what is followed, and what is typed."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.following import Followed, following
from tests.console.signing_in import SignedIn, signed_in
from tests.protocol.waits import eventually

pytestmark = pytest.mark.timeout(90)


@pytest.fixture(scope="module")
def browser(operated: DaemonProcess) -> SignedIn:
    """A signed-in browser."""
    return signed_in(operated)


@pytest.fixture
def topic(operated: DaemonProcess) -> Iterator[str]:
    """A bash topic of its own."""
    name = f"bash:screen{time.monotonic_ns()}"
    yield name
    operated.request("DELETE", f"/sessions/default/{name}")


def path_of(topic: str) -> str:
    return f"topics/default/{topic}"


def type_keys(browser: SignedIn, topic: str, *keys: dict[str, str]) -> int:
    return browser.act("topics/keys", user="default", topic=topic, keys=json.dumps(keys)).status


def run_line(browser: SignedIn, topic: str, text: str) -> None:
    assert browser.act("topics/line", user="default", topic=topic, text=text).status == 200


def shows(state: str) -> Callable[[Followed], bool]:
    return lambda page: state in page.text("screen-state")


@pytest.mark.requirement("console.screen.live", "console.screen.watching")
def test_what_was_printed_before_is_shown_and_what_follows_is_live(
    operated: DaemonProcess, browser: SignedIn, topic: str
) -> None:
    with following(browser, path_of(topic)) as page:
        page.wait(shows("no shell yet"))
        assert topic not in operated.request("GET", "/sessions").text
        operated.exec("echo before", topic)
        assert page.wait_screen("\nbefore").splitlines() == ["~ $ echo before", "before"]
    operated.exec("printf '\\e[31mred\\e[m plain'", topic)
    with following(browser, path_of(topic)) as page:
        assert page.wait_screen("\nred plain").splitlines()[-2].startswith("~ $ printf ")
        assert '<span class="f-ff7b72">red</span> plain' in str(page.regions["screen-rows"])
    assert "red</span> plain" in browser.get(f"/console/{path_of(topic)}").text


@pytest.mark.requirement("console.screen.typing", "console.screen.prompt")
def test_a_program_is_started_typed_into_and_ended(browser: SignedIn, topic: str) -> None:
    with following(browser, path_of(topic)) as page:
        run_line(browser, topic, "python3 -q")
        page.wait_screen(">>>")
        page.wait(shows("takes keys"))
        for character in "print(6*7)":
            assert type_keys(browser, topic, {"text": character}) == 200
        assert type_keys(browser, topic, {"key": "Enter"}) == 200
        assert ">>> print(6*7)\n42\n>>>" in page.wait_screen("42")
        assert type_keys(browser, topic, {"key": "Ctrl+d"}) == 200
        page.wait(shows("no program runs"))
        run_line(browser, topic, "echo and goes on")
        page.wait_screen("\nand goes on")


@pytest.mark.requirement("console.screen.typing")
def test_keys_are_commands_in_the_log_and_one_entry_on_the_page(
    operated: DaemonProcess, browser: SignedIn, topic: str
) -> None:
    operated.exec("cat", topic)
    connection = HTTPConnection("127.0.0.1", operated.port, timeout=10)
    connection.request("GET", f"/events?topic={topic}", headers={"X-User-Id": "default"})
    events = connection.getresponse()
    for character in "abc":
        type_keys(browser, topic, {"text": character})
    type_keys(browser, topic, {"key": "Enter"})
    while b'//type \\"c\\"' not in events.readline():
        pass
    connection.close()
    page = f"/console/{path_of(topic)}"
    assert eventually(lambda: "//type &#34;abc&#34; Enter" in browser.get(page).text)


@pytest.mark.requirement("console.screen.typing")
def test_a_paste_is_bracketed_where_the_program_asks_for_it(browser: SignedIn, topic: str) -> None:
    with following(browser, path_of(topic)) as page:
        run_line(browser, topic, "stty raw -echo; printf '\\e[?2004hready'; head -c 20 | cat -v")
        page.wait_screen("\nready")
        type_keys(browser, topic, {"paste": "a\nb\x1b[201~"})
        page.wait_screen("^[[200~a^Mb[201~^[[201~")


@pytest.mark.requirement("console.screen.secrets")
@pytest.mark.parametrize("way", ["field", "keys"])
def test_a_secret_is_nowhere(operated: DaemonProcess, browser: SignedIn, topic: str, way: str) -> None:
    secret = f"hunter2-{way}-{time.monotonic_ns()}"
    received: list[str] = []
    with following(browser, path_of(topic)) as page:
        run_line(browser, topic, "read -rsp 'Password: ' pw; echo; echo length ${#pw}")
        page.wait(shows("waits for a secret"))
        if way == "field":
            assert browser.act("topics/secret", user="default", topic=topic, text=secret).status == 200
        else:
            for character in secret:
                assert type_keys(browser, topic, {"text": character}) == 200
            type_keys(browser, topic, {"key": "Enter"})
        page.wait_screen(f"length {len(secret)}")
        page.wait(shows("no program runs"))
        received.append(str(page.regions))
    received.append(browser.get(f"/console/{path_of(topic)}").text)
    received.append(browser.get("/console/topics").text)
    received.append(operated.stderr())
    received.append(operated.exec("//info", topic).content)
    received.append(_stored(operated.data_dir))
    parts = [secret, *(f'"{secret[:length]}' for length in range(4, len(secret)))]
    assert not [it for it in parts if any(it in text for text in received)]
    assert "********" in received[1]
    refused = browser.act("topics/secret", user="default", topic=topic, text=secret)
    assert refused.status == 422
    assert secret not in refused.text
    assert secret not in browser.get(f"/console/{path_of(topic)}").text


def _stored(folder: Path) -> str:
    """Return everything that the daemon has stored, and what its databases contain."""
    texts = []
    for path in folder.rglob("*"):
        if path.is_file():
            texts.append(path.read_bytes().decode("latin-1"))
            if path.suffix == ".db":
                with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
                    texts.append("\n".join(database.iterdump()))
    return "\n".join(texts)


@pytest.mark.requirement("console.screen.secrets", "console.screen.prompt")
def test_a_line_for_the_shell_that_meets_a_program_is_typed_nowhere(browser: SignedIn, topic: str) -> None:
    with following(browser, path_of(topic)) as page:
        run_line(browser, topic, "read -rs pw; echo got $pw")
        page.wait(shows("waits for a secret"))
        refused = browser.act("topics/line", user="default", topic=topic, text="hunter2-early")
        assert "hunter2-early" not in refused.text
        type_keys(browser, topic, {"key": "Enter"})
        assert "hunter2" not in page.wait_screen("got")
    assert "hunter2" not in browser.get(f"/console/{path_of(topic)}").text


@pytest.mark.requirement("console.screen.watching")
def test_watching_takes_no_output_from_an_agent_and_no_turn(
    operated: DaemonProcess, browser: SignedIn, topic: str
) -> None:
    with following(browser, path_of(topic)) as page:
        operated.exec("cat", topic)
        page.wait(shows("takes keys"))
        type_keys(browser, topic, {"text": "from a person"}, {"key": "Enter"})
        page.wait_screen("from a person\nfrom a person")
        reply = operated.exec("from an agent", topic).content
        assert "from a person" in reply
        assert "from an agent" in reply


@pytest.mark.requirement("console.screen.ends")
def test_the_end_of_a_shell_and_of_a_topic_is_shown(
    operated: DaemonProcess, browser: SignedIn, topic: str
) -> None:
    with following(browser, path_of(topic)) as page:
        thread = threading.Thread(target=operated.exec, args=("echo pid $$; sleep 60", topic))
        thread.start()
        screen = page.wait_screen("\npid ")
        pid = screen.rpartition("pid ")[2].split()[0]
        operated.exec(f"kill -9 {pid}", "bash:killer")
        page.wait(shows("no program runs"))
        operated.exec("echo new shell", topic)
        page.wait_screen("\nnew shell")
        operated.request("DELETE", f"/sessions/default/{topic}")
        page.wait(shows("no shell yet"))
        operated.exec("echo another topic", topic)
        assert "new shell" not in page.wait_screen("\nanother topic")
        thread.join()


@pytest.mark.requirement("console.screen.size")
def test_the_size_is_the_agents(operated: DaemonProcess, browser: SignedIn, topic: str) -> None:
    operated.exec('//set {_size} = "40x10"', topic)
    with following(browser, path_of(topic)) as page:
        operated.exec("stty size; printf '%060d' 7", topic)
        assert page.wait_screen(f"{'0' * 19}7").splitlines()[-3:] == ["10 40", "0" * 40, f"{'0' * 19}7"]
        page.wait(shows("40 × 10"))


@pytest.mark.requirement("console.screen.hostile")
def test_hostile_output_is_only_text(operated: DaemonProcess, browser: SignedIn, topic: str) -> None:
    hostile = (
        r"<script>x</script> \e]8;;javascript:alert(1)\e\\link\e]8;;\e\\ \e]0;title\a\e]52;c;aGk=\a \e[c\e[6n"
        r" \u202eabc \U0001F469\u200d\U0001F4BB \e[8mhidden\e[m \e[30;40mblack\e[m \e[999999999C!"
    )
    operated.exec(f"printf '{hostile}'", topic)
    with following(browser, path_of(topic)) as page:
        screen = page.wait_screen("black")
        rows = "".join(page.regions["screen-rows"].values())
        assert "<script>x</script> link" in screen
        assert "&lt;script&gt;x&lt;/script&gt; link" in rows
        assert "javascript" not in rows.partition("&lt;/script&gt; link")[2]
        assert "\u202e" not in rows
        assert "hidden" in screen


@pytest.mark.requirement("console.screen.typing")
@pytest.mark.parametrize(
    "keys",
    [
        *("", "{}", "[]", "[1]", "[" * 100_000, '[{"text": ""}]', '[{"text": 1}]', '[{"key": ""}]'),
        *('[{"key": "Nope nope"}]', '[{"text": "a", "key": "b"}]', '[{"key": "\\" Enter"}]'),
    ],
)
def test_odd_keys_are_refused(browser: SignedIn, operated: DaemonProcess, keys: str) -> None:
    operated.exec("cat", "bash:odd")
    refused = browser.act("topics/keys", user="default", topic="bash:odd", keys=keys)
    assert (refused.status, refused.json()["code"]) == (422, "INVALID_PAYLOAD")


@pytest.mark.requirement("console.screen.typing")
def test_what_cannot_be_typed_into_says_why(browser: SignedIn, topic: str) -> None:
    keys = json.dumps([{"text": "x"}])
    nothing = browser.act("topics/keys", user="default", topic=topic, keys=keys)
    assert (nothing.status, nothing.json()["code"]) == (422, "NOT_FOUND")
    file = browser.act("topics/keys", user="default", topic="file:x", keys=keys)
    assert (file.status, file.json()["code"]) == (422, "NOT_FOUND")
    run_line(browser, topic, "true")
    ended = browser.act("topics/keys", user="default", topic=topic, keys=keys)
    assert (ended.status, ended.json()["code"]) == (422, "CONFLICT")


@pytest.mark.requirement("console.screen.flood")
def test_a_flood_is_shown_to_the_end_and_holds_up_nothing(
    operated: DaemonProcess, browser: SignedIn, topic: str
) -> None:
    with ExitStack() as watching:
        pages = [watching.enter_context(following(browser, path_of(topic))) for _ in range(4)]
        thread = threading.Thread(target=operated.exec, args=("seq 400000; echo the end", topic))
        thread.start()
        for page in pages:
            assert page.wait_screen("\nthe end", 60).splitlines()[-2:] == ["400000", "the end"]
        thread.join()
        assert pages[0].bytes < 20_000_000

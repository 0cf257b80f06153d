"""Actions of an app's other pages, and `/find` over all of its pages."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.apps.shelf import put, refused, said

TOPIC = "app:zoo"
ACTION = '```act.{name}\nCLI echo {text} {{who}} $KEY\n  who: string (required) "Whom"\n```\n'


def action(name: str, text: str) -> str:
    return ACTION.format(name=name, text=text)


@pytest.fixture
def zoo(daemon: DaemonProcess) -> Path:
    """An app of several pages that was put there by hand."""
    folder = daemon.home / "packages" / "zoo"
    put(folder / "string.md", f"---\nrequires: [KEY]\nfind: app\n---\n# Zoo\n\n{action('feed', 'first')}")
    put(folder / "birds.md", f"# Birds\n\n## list_birds\n\nEvery owl.\n\n{action('list_birds', 'birds')}")
    put(
        folder / "deep" / "fish.md",
        f"# Fish\n\nThe eel.\n\n{action('feed', 'fish')}\n{action('clean', 'tank')}"
        "```act.clean.response\nCleaned: {Response.body}\n```\n",
    )
    put(folder / "a.md", f"# A\n\n{action('twice', 'a')}\n````\n```act.shown\nCLI true\n```\n````\n")
    put(folder / "b.md", f"# B\n\n{action('twice', 'b')}")
    said(daemon, '/set $KEY = "key"', TOPIC)
    return folder


@pytest.mark.requirement("app.pages.actions")
def test_action_of_the_only_other_page_is_called(daemon: DaemonProcess, zoo: Path) -> None:
    assert said(daemon, "/act.list_birds owl", TOPIC) == "birds owl key"
    assert "--who <string>  required  Whom" in said(daemon, "/act.list_birds --help", TOPIC)
    assert "Action: list_birds" in said(daemon, "/act.list_birds", TOPIC)
    # Its templates are those of its page, and the topic stays where it is.
    assert said(daemon, "/act clean x", TOPIC) == "Cleaned: tank x key"
    assert "uri: app:zoo/string.md\n" in said(daemon, "/info", TOPIC)
    assert refused(daemon, "/act.list_birds --what x", TOPIC)[0] == "INVALID_PAYLOAD"


@pytest.mark.requirement("app.pages.actions")
def test_written_pages_are_noticed(daemon: DaemonProcess, zoo: Path) -> None:
    assert refused(daemon, "/act.new x", TOPIC)[0] == "ACTION_NOT_FOUND"
    put(zoo / "new.md", action("new", "new"))
    assert said(daemon, "/act.new x", TOPIC) == "new x key"
    put(zoo / "new.md", action("newer", "new"))
    os.utime(zoo / "new.md", ns=(0, 0))
    assert said(daemon, "/act.newer x", TOPIC) == "new x key"
    assert refused(daemon, "/act.new x", TOPIC)[0] == "ACTION_NOT_FOUND"


@pytest.mark.requirement("app.pages.clash")
def test_open_page_goes_first_and_several_others_are_refused(daemon: DaemonProcess, zoo: Path) -> None:
    assert said(daemon, "/act.feed x", TOPIC) == "first x key"
    code, told = refused(daemon, "/act.twice x", TOPIC)
    assert code == "ACTION_NOT_FOUND"
    assert told.endswith("Open one of them first: app:zoo/a.md, app:zoo/b.md")
    said(daemon, "/open b.md", TOPIC)
    assert said(daemon, "/act.twice x", TOPIC) == "b x key"
    assert refused(daemon, "/act.shown", TOPIC)[0] == "ACTION_NOT_FOUND"


@pytest.mark.requirement("app.pages.actions")
def test_unknown_action_names_the_nearest_of_the_app(daemon: DaemonProcess, zoo: Path) -> None:
    told = refused(daemon, "/act.list_bird", TOPIC)[1]
    assert told.endswith("nearest: /act.list_birds")
    # Files outside of apps know nothing of each other.
    put(daemon.home / "one.md", "# One\n")
    put(daemon.home / "two.md", action("other", "x"))
    said(daemon, "/open one.md")
    assert refused(daemon, "/act.other x")[0] == "ACTION_NOT_FOUND"


@pytest.mark.requirement("app.pages.actions")
def test_page_outside_of_the_app_is_none_of_its_pages(daemon: DaemonProcess, zoo: Path) -> None:
    put(daemon.home / "outside.md", action("outside", "x"))
    (zoo / "link.md").symlink_to(daemon.home / "outside.md")
    (zoo / "dangling.md").symlink_to(daemon.home / "gone.md")
    (zoo / "binary.md").write_bytes(b"\xff\xfe```act.outside\n")
    assert refused(daemon, "/act.outside x", TOPIC)[0] == "ACTION_NOT_FOUND"
    assert "(0)\n" in said(daemon, "/find outside", TOPIC)


@pytest.mark.requirement("app.pages.find")
def test_find_looks_through_all_pages(daemon: DaemonProcess, zoo: Path) -> None:
    assert said(daemon, "/find every OWL", TOPIC) == (
        "Matches: every OWL (1)\n---\nbirds.md#list_birds: Every owl."
    )
    assert said(daemon, "/find list birds", TOPIC) == (
        "Matches: list birds (1)\n---\n/act.list_birds: an action of birds.md"
    )
    said(daemon, "/open deep/fish.md", TOPIC)
    assert "\n../birds.md#list_birds: " in said(daemon, '/find "owl"', TOPIC)
    assert "\n#fish: The eel." in said(daemon, "/find the eel", TOPIC)
    assert "/act.feed: an action of this page" in said(daemon, "/find feed", TOPIC)
    assert "birds.md" in said(daemon, "/open ../birds.md#list_birds", TOPIC)
    put(zoo / "notes.txt", "Feed the eel, not the owl.\n")
    said(daemon, "/open notes.txt", TOPIC)
    assert "(top): Feed the eel" in said(daemon, "/find the eel", TOPIC)
    assert "… and 3 actions of other pages" in said(daemon, "/act", "app:zoo:other")


@pytest.mark.requirement("app.pages.find")
def test_find_stays_on_the_page_unless_the_app_says_otherwise(daemon: DaemonProcess, zoo: Path) -> None:
    put(zoo / "string.md", "# Zoo\n")
    assert said(daemon, "/find owl", TOPIC) == "Matches: owl (0)\n---\n(none)"
    assert said(daemon, "/act", TOPIC) == "Actions\n---\n(none)"


@pytest.mark.requirement("app.pages.find")
def test_many_matches_are_bounded(daemon: DaemonProcess, zoo: Path) -> None:
    for number in range(60):
        put(zoo / f"page-{number}.md", f"# Page {number}\n\nA heron.\n\nAnother heron.\n")
    told = said(daemon, "/find heron", TOPIC)
    assert told.startswith("Matches: heron (120)\n")
    assert len(told.splitlines()) < 60
    assert told.endswith("In 60 pages: what is longer is found less often")


@pytest.mark.long
@pytest.mark.requirement("app.pages.actions", "app.pages.find")
def test_thousand_actions_are_found_at_once(daemon: DaemonProcess, zoo: Path) -> None:
    for tag in range(40):
        sections = "".join(
            f"## op_{tag}_{number}\n\nReads the thing {tag}-{number} of the service.\n\n"
            + action(f"op_{tag}_{number}", "x")
            for number in range(25)
        )
        put(zoo / f"tag-{tag}.md", f"# Tag {tag}\n\n{sections}")
    assert said(daemon, "/act.op_39_24 y", TOPIC) == "x y key"
    assert "tag-7.md#op_7_3: Reads the thing 7-3" in said(daemon, "/find thing 7-3 of", TOPIC)
    started = time.monotonic()
    for number in range(5):
        assert said(daemon, f"/act.op_39_{number} --help", TOPIC).startswith("Action:")
        said(daemon, f"/find thing 9-{number} of", TOPIC)
    assert time.monotonic() - started < 5

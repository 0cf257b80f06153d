"""Scenarios of agents that use apps, end to end, against services that answer like the real ones."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage
from tests.actions.conftest import NUMBERS
from tests.actions.service import Service

WEATHER = """---
name: weather
---
# Weather

Ask for a city first.

```act.search_city
GET {url}/search
  name: string (required) "City name"
```

```act.search_city.response
{city} = {Response.body.results[0].id}
{lat} = {Response.body.results.0.lat}
## {Response.body.results[0].name}

next: /act.current --city {city}
```

```act.current
GET {url}/current/{city}
  city: string (required)
```

```act.current.response
{temp} = {Response.body.temp}
Now {temp}° in {Response.body.name}.
```

```act.forecast
GET {url}/forecast?city={city}&days={days}
  city: string (required)
  days: number (required)
```

```act.forecast.response
for: d in Response.body.days
- {d.date}: {d.sky}
end:
```

```act.create_alert
POST {url}/alerts -d '{"city":"{city}","condition":"{condition}"}'
  city: string (required)
  condition: string (required)
```

```act.create_alert.response
{alert} = {Response.body.id}
Alert {alert} is set.
```
"""


@pytest.mark.requirement("scenario.s4")
def test_a_page_with_a_chain_of_states(stage: Stage, service: Service) -> None:
    service.answer("/search", {"results": [{"id": "kr-11", "name": "Seoul", "lat": 37.5}]})
    service.answer("/current/kr-11", {"temp": 21, "name": "Seoul"})
    days = [{"date": "Mon", "sky": "rain"}, {"date": "Tue", "sky": "sun"}]
    service.answer("/forecast", {"days": days})
    service.answer("/alerts", {"id": "a-7"}, status=201)
    stage.write(WEATHER.replace("{url}", service.url), "weather.md")
    opened = stage.send("/open weather.md")
    assert opened.endswith("# Weather\n\nAsk for a city first.")
    assert stage.send('/act.search_city --name "Seoul"') == "## Seoul\n\nnext: /act.current --city kr-11"
    assert service.last.target == "/search?name=Seoul"
    assert stage.send("/act.current --city {city}") == "Now 21° in Seoul."
    assert stage.send("/act.current --city <city>") == "Now 21° in Seoul."
    assert stage.send('/act.forecast --city {city} --days "7"') == "- Mon: rain\n- Tue: sun"
    assert service.last.target == "/forecast?city=kr-11&days=7"
    assert stage.send('/act.create_alert --city {city} --condition "rain"') == "Alert a-7 is set."
    assert service.last.json() == {"city": "kr-11", "condition": "rain"}
    shown = stage.send("/info")
    for line in ('{city} = "kr-11"', '{lat} = "37.5"', '{temp} = "21"', '{alert} = "a-7"'):
        assert f"  {line}" in shown
    assert "actions: /act.search_city, /act.current, /act.forecast, /act.create_alert" in shown


@pytest.mark.requirement("scenario.s4")
def test_configurations_have_separate_values(stage: Stage, service: Service) -> None:
    for city in ("seoul", "tokyo"):
        service.answer(f"/current/{city}", {"temp": 1, "name": city})
    stage.write(WEATHER.replace("{url}", service.url), "weather.md")
    korea, japan = (Stage(daemon=stage.daemon, topic=f"app:weather:{it}") for it in ("korea", "japan"))
    for topic, city in ((korea, "seoul"), (japan, "tokyo")):
        topic.send("/open ~/weather.md")
        topic.send(f'/set\n{{default_city}} = "{city}"\n{{unit}} = "C"')
    assert korea.send("/act.current --city {default_city}") == "Now 1° in seoul."
    assert japan.send("/act.current --city {default_city}") == "Now 1° in tokyo."
    assert "tokyo" not in korea.send("/info")


FEED = """---
name: feed
namespace: test
requires: [FEED_KEY]
default: home
---
[!requirements](./requirements.md)

# Feed

```act.home
GET {url}/home -H "Authorization: Bearer $FEED_KEY"
```

```act.home.response
New:
for: p in Response.body.new
{@post} = {p.id}
- {@post} {p.title}
end:
Old:
for: p in Response.body.old
{@post} = {p.id}
- {@post} {p.title}
end:
```

```act.read
GET {url}/posts/{post} -H "Authorization: Bearer $FEED_KEY"
  post: string (required)
```

```act.read.response
{@post} = {Response.body.id}
# {Response.body.title}
```

```act.comment
POST {url}/posts/{post}/comments -H "Authorization: Bearer $FEED_KEY" -d '{"text":"{text}"}'
  post: string (required)
  text, -c: string (required)
```

```act.comment.response
Done.
```

```act.comments
GET {url}/posts/{post}/comments -H "Authorization: Bearer $FEED_KEY"
  post: string (required)
```

```act.comments.response
for: c in Response.body
{@reply} = ({c.post}, {c.id})
- {@reply} {c.text}
end:
```
"""
REPLY = """
```act.reply
POST {url}/posts/{ref[0]}/comments -H "Authorization: Bearer $FEED_KEY"
  ref: tuple (required) "@reply-N"
  text, -c: string (required)
  body:
    {"parent": "{ref[1]}", "text": "{text}"}
```

```act.reply.response
Replied.
```
"""


def install(stage: Stage, folder: Path, **pages: str) -> None:
    folder.mkdir()
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    assert stage.code(f"/install {folder}") is None


@pytest.mark.requirement("scenario.s8")
def test_a_feed_is_read_and_answered(shared: DaemonProcess, service: Service) -> None:
    stage = Stage(daemon=shared, topic="app:feed")
    install_feed(shared, service)
    expect_that_a_key_is_asked_for(stage, service)
    expect_that_posts_are_read(stage, service)
    expect_that_comments_are_answered(stage, service)


def install_feed(shared: DaemonProcess, service: Service) -> None:
    profile = "---\ndefault: comments\n---\n# Me\n" + REPLY
    install(
        Stage(daemon=shared),
        shared.home / "feed-source",
        string=(FEED + REPLY).replace("{url}", service.url),
        profile=profile.replace("{url}", service.url),
        requirements="# Get a key\n",
    )


def expect_that_a_key_is_asked_for(stage: Stage, service: Service) -> None:
    shown = stage.send("/open app:feed")
    assert (
        '[!] Missing required env: $FEED_KEY — /set $FEED_KEY = "..."\n[!] Setup: /open ./requirements.md'
        in shown
    )
    assert stage.code("/act.home") == "ENV_REQUIRED"
    assert not service.received

    stage.send('/set $FEED_KEY = "k-12345"')
    service.answer("/home", {"error": "key expired"}, status=401)
    assert '401 Unauthorized\n{"error": "key expired"}\nSetup: /open ./requirements.md' in stage.send(
        "/act.home"
    )


def expect_that_posts_are_read(stage: Stage, service: Service) -> None:
    service.answer(
        "/home",
        {"new": [{"id": 11, "title": "A"}, {"id": 12, "title": "B"}], "old": [{"id": 3, "title": "C"}]},
    )
    shown = stage.send("/open app:feed")
    assert shown.endswith("---\nNew:\n- @post-1 A\n- @post-2 B\nOld:\n- @post-3 C")
    assert service.last.headers["Authorization"] == "Bearer k-12345"
    service.answer("/posts/12", {"id": 12, "title": "B"})
    assert stage.send("/act.read @post-2") == "# B"
    assert stage.send("""/act.comment @post "It's \\"fine\\"" """.strip()) == "Done."
    assert (service.last.target, service.last.json()) == ("/posts/12/comments", {"text": 'It\'s "fine"'})


def expect_that_comments_are_answered(stage: Stage, service: Service) -> None:
    service.answer(
        "/posts/12/comments", [{"post": 12, "id": "c1", "text": "x"}, {"post": 12, "id": "c2", "text": "y"}]
    )
    assert stage.send("/act.comments @post") == "- @reply-1 x\n- @reply-2 y"
    assert stage.send('/act.reply @reply-1 -c "ok"') == "Replied."
    assert (service.last.target, service.last.json()) == (
        "/posts/12/comments",
        {"parent": "c1", "text": "ok"},
    )
    stage.send("/open profile.md")
    assert stage.send('/act.reply @reply-2 -c "x"') == "Replied."
    assert service.last.json() == {"parent": "c2", "text": "x"}


IMAGE = """---
name: image
namespace: test
requires: [GEMINI_API_KEY]
---
# Images

```act.generate
POST {url}/generate?key=$GEMINI_API_KEY -d '{"prompt":"{prompt}"}'
  prompt, -p: string (required)
  file, -f: path (required)
```

```act.generate.response
{@image} = {file}
Saved: {file} ({Response.body.parts[0].mime})
save: Response.body.parts[0].data
decode: base64
to: {file}
```

```act.edit
POST {url}/edit?key=$GEMINI_API_KEY -d '{"prompt":"{prompt}","image":"{image|base64file}"}'
  prompt, -p: string (required)
  file, -f: path (required)
  image, -i: path (required)
```

```act.edit.response
{@image} = {file}
Saved: {file}
save: $.parts[0].data
decode: base64
to: {file}
```
"""


@pytest.mark.requirement("scenario.s9")
def test_binary_result_is_input_of_the_next_call(shared: DaemonProcess, service: Service) -> None:
    stage = Stage(daemon=shared, topic="app:image")
    install(Stage(daemon=shared), shared.home / "image-source", string=IMAGE.replace("{url}", service.url))
    assert "[!] Missing required env: $GEMINI_API_KEY" in stage.send("/open app:image")
    assert stage.code("/act.generate -p a -f b.png") == "ENV_REQUIRED"
    stage.send('/set $GEMINI_API_KEY = "k-98765"')
    first, second = b"\x89PNG\x00\xff first", b"\x89PNG\x00\xff second"
    service.answer("/generate", {"parts": [{"mime": "image/png", "data": base64.b64encode(first).decode()}]})
    answer = stage.send('/act.generate -p "a \\"red\\" bike\nnext line" -f bike.png')
    assert answer == "Saved: bike.png (image/png)"
    assert service.last.json() == {"prompt": 'a "red" bike\nnext line'}
    assert service.last.target == "/generate?key=k-98765"
    assert (shared.home / "bike.png").read_bytes() == first
    service.answer("/edit", {"parts": [{"data": base64.b64encode(second).decode()}]})
    assert stage.send('/act.edit -p "bluer" -f b2.png -i @image') == "Saved: b2.png"
    assert service.last.json() == {"prompt": "bluer", "image": base64.b64encode(first).decode()}
    assert (shared.home / "b2.png").read_bytes() == second
    assert "@image  b2.png" in stage.send("/nav page")
    service.answer("/generate", {"error": "overloaded"}, status=503)
    assert '{"error": "overloaded"}' in stage.send("/act.generate -p a -f none.png")
    assert not (shared.home / "none.png").exists()
    schema = stage.send("/act.generate --help")
    assert "--prompt, -p <string>  required" in schema
    assert not [word for word in ("generate?", "KEY", 'prompt":', "k-98765") if word in schema]
    assert "POST http" in stage.send("/source")


BOARD = r"""---
name: board
namespace: test
default: board
---
# Board

```act.board
CLI ./tool list
```

```act.board.response
for: c in Response.body
{@card} = ({c.id}, {c.title})
- {@card} {c.title}
end:
```

```act.comment
CLI ./tool comment "{card[0]}" "{text}"
  card: tuple (required)
  text: string (required)
```

```act.close
CLI ./tool close "{card[0]}" "{confirm}"
  card: tuple (required)
  confirm: string = "no"
```
"""
TOOL = r"""#!/bin/sh
case "$1" in
  list) echo '[{"id": "I_1", "title": "One"}, {"id": "I_2", "title": "Two $(id)"}]' ;;
  comment) printf '%s <- %s' "$2" "$3" ;;
  close) [ "$3" = yes ] || { echo "not closed: say --confirm yes"; exit 1; }; echo "closed $2" ;;
esac
"""


@pytest.mark.requirement("scenario.s10")
def test_tuples_over_a_command_line_tool(shared: DaemonProcess) -> None:
    source = shared.home / f"board-{next(NUMBERS)}"
    source.mkdir()
    (source / "string.md").write_text(BOARD, encoding="utf-8")
    (source / "tool").write_text(TOOL, encoding="utf-8")
    (source / "tool").chmod(0o755)
    assert Stage(daemon=shared).code(f"/install {source}") is None
    stage = Stage(daemon=shared, topic="app:board")
    assert stage.send("/open app:board").endswith("---\n- @card-1 One\n- @card-2 Two $(id)")
    assert stage.send('/act.comment @card-2 "ship; $(id)"') == "I_2 <- ship; $(id)"
    refused = stage.send("/act.close @card-1")
    assert refused.startswith("exit: 1 | cwd: ")
    assert refused.endswith("---\nnot closed: say --confirm yes")
    assert stage.send("/act.close @card-1 --confirm yes") == "closed I_1"
    assert stage.code("/act.comment plain x") == "INVALID_PARAMS"

"""Typing as a person does: keys without waiting for what they do, secrets, and lines for the shell only."""

from __future__ import annotations

import re

import pytest

from stringd_bash.console_screen.topic_screens import keys_command, secret_command
from stringd_bash.keys import KeyModes, encode_keys
from stringd_console import Typed
from tests.bash.conftest import Topic
from tests.protocol.waits import eventually

PLAIN, SET = KeyModes(), KeyModes(application=True, brackets_pastes=True)


def wait_for_end(topic: Topic) -> None:
    eventually(lambda: "program: (none)" in topic.events("//info").content)


@pytest.mark.requirement("bash.keys.modified")
@pytest.mark.parametrize(
    ("keys", "sent"),
    [
        ("Ctrl+Left Shift+Up Alt+Home", "\x1b[1;5D\x1b[1;2A\x1b[1;3H"),
        ("Ctrl+Shift+Right", "\x1b[1;6C"),
        ("Ctrl+Delete Shift+F5 Alt+PageUp", "\x1b[3;5~\x1b[15;2~\x1b[5;3~"),
        ("Shift+F1 Ctrl+F4", "\x1b[1;2P\x1b[1;5S"),
        ("Shift+Tab Shift+Enter Shift+a", "\x1b[Z\rA"),
        ("Alt+x Alt+X Alt+. Alt+Enter Alt+Backspace", "\x1bx\x1bX\x1b.\x1b\r\x1b\x7f"),
        ("Ctrl+c ctrl+C ^c Ctrl+Space Ctrl+[", "\x03\x03\x03\0\x1b"),
        ("Ctrl+Alt+d", "\x1b\x04"),
        ("Up Ctrl+Enter", "\x1b[A\r"),
        ('PasteStart "a" Enter PasteEnd', "a\r"),
        ("+ Alt++", "+\x1b+"),
    ],
)
def test_keys_are_encoded_as_terminals_do(keys: str, sent: str) -> None:
    assert b"".join(encode_keys(keys, PLAIN)).decode() == sent


@pytest.mark.requirement("bash.keys.modified")
def test_modes_change_what_keys_send() -> None:
    sent = b"".join(encode_keys('Up PasteStart "a" Enter "b" PasteEnd', SET))
    assert sent == b"\x1bOA\x1b[200~a\rb\x1b[201~"


@pytest.mark.requirement("console.screen.typing")
@pytest.mark.parametrize(
    ("typed", "command"),
    [
        ([Typed(text="ls"), Typed(key="Enter")], '//type "ls" Enter'),
        ([Typed(text='say "hi" \\ there')], '//type "say \\"hi\\" \\\\ there"'),
        ([Typed(text="a\nb\r\nc\n")], '//type "a" Enter "b" Enter "c" Enter'),
        ([Typed(text="a\n\nb", is_pasted=True)], '//type PasteStart "a" Enter Enter "b" PasteEnd'),
        ([Typed(text="\x1b[2~\x07y\ud800\t", is_pasted=True)], '//type PasteStart "[2~y\t" PasteEnd'),
        ([Typed(text="--secret"), Typed(key="Up")], '//type "--secret" Up'),
    ],
)
def test_what_is_typed_becomes_a_command(typed: list[Typed], command: str) -> None:
    assert keys_command(typed) == command


def test_a_secret_becomes_a_command_of_one_line() -> None:
    assert secret_command('pa"ss\\ w\nord') == '//type --secret "pa\\"ss\\\\ word" Enter'


@pytest.mark.requirement("bash.type")
def test_typed_keys_leave_their_output_to_the_next_reply(topic: Topic) -> None:
    assert topic("cat").state == "waiting"
    for word in ("one", "two", "three"):
        assert topic.events(f'//type "{word} "').head["ok"]
    topic.events('//type Enter "end" Enter ^D')
    assert sorted(topic.ends("//wait 5").output.split()) == sorted(["one", "two", "three", "end"] * 2)


@pytest.mark.requirement("bash.type")
def test_escape_alone_is_no_part_of_the_next_key(topic: Topic) -> None:
    read = 'read -rsn1 a; read -rsn1 -t 0.05 b; read -rsn1 c; printf \'<%q|%q|%q>\' "$a" "$b" "$c"'
    assert topic(read).state == "waiting"
    topic.events("//type Escape")
    topic.events('//type "x"')
    assert "|''|x>" in topic.ends("//wait 5").output


@pytest.mark.requirement("bash.type.secret")
def test_a_secret_is_typed_only_where_it_is_not_shown(topic: Topic) -> None:
    assert topic("cat").state == "waiting"
    refused = topic.events('//type --secret "hunter2-secret" Enter')
    assert refused.head["code"] == "CONFLICT"
    assert "hunter2" not in str(refused)
    topic.events("//keys ^D")
    topic("read -rs answer; echo got ${#answer}")
    typed = topic.events('//type --secret "hunter2-secret" Enter')
    assert typed.head["ok"]
    assert "hunter2" not in str(typed)
    assert topic.ends("//wait 5").output == "got 14"
    late = topic.events('//type --secret "hunter2-secret" Enter')
    assert late.head["code"] == "CONFLICT"
    assert "hunter2" not in str(late)


@pytest.mark.requirement("bash.type", "bash.run")
@pytest.mark.parametrize("command", ["//type", "//type --secret", "//run", "//type Nonsense"])
def test_what_cannot_be_typed_or_run_says_why(topic: Topic, command: str) -> None:
    topic("cat")
    refused = topic.events(command)
    assert refused.head["code"] in {"INVALID_PAYLOAD", "INVALID_PARAMS"}
    assert re.search("Usage|keys:", refused.content)


@pytest.mark.requirement("bash.run")
def test_a_text_for_the_shell_is_never_typed_into_a_program(topic: Topic) -> None:
    assert topic("//run echo one\necho two").output == "one\ntwo"
    assert topic("cat").state == "waiting"
    refused = topic.events("//run echo three")
    assert refused.head["code"] == "CONFLICT"
    assert "A program is running: cat" in refused.content
    assert topic.ends("//keys ^D").output == "(no output)"


@pytest.mark.requirement("bash.run")
def test_whoever_waits_for_a_program_learns_of_its_end_before_a_text_is_evaluated(topic: Topic) -> None:
    assert topic("read -r answer").state == "waiting"
    topic.events('//type "typed" Enter')
    wait_for_end(topic)
    assert topic("//run echo between $answer").output == "between typed"
    refused = topic.events("rm -rf meant-as-an-answer")
    assert refused.head["code"] == "CONFLICT"
    assert "has ended meanwhile" in refused.content
    assert topic.says("echo again") == "again"


@pytest.mark.requirement("bash.run")
def test_nobody_is_told_of_a_program_that_nobody_else_has_known(topic: Topic) -> None:
    assert topic("//run read -r answer").state == "waiting"
    topic.events('//type "typed" Enter')
    wait_for_end(topic)
    assert topic.says("echo usable").endswith("usable")

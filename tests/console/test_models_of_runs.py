"""The page of a run whose model is a server: thinking, figures and prices that the server lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.run_strategies import finished, page_of, strategy
from tests.console.signing_in import signed_in
from tests.runs.clients import run_client
from tests.runs.providers.streaming_server import streamed
from tests.web.server import answer, serving

pytestmark = pytest.mark.timeout(60)
_MODELS = b'{"data": [{"id": "m", "pricing": {"prompt": "0.001", "completion": "0.01"}}]}'


@pytest.mark.requirement("console.runs.figures", "console.runs.streams")
def test_thinking_is_folded_and_the_listed_price_is_known(tmp_path: Path) -> None:
    with serving() as site:
        site.serve("/v1/models", answer(_MODELS, media_type="application/json"))
        site.serve(
            "/v1/chat/completions",
            streamed(
                {"choices": [{"delta": {"reasoning_content": "hm <i>, "}}]},
                {"choices": [{"delta": {"content": "**Yes**"}, "finish_reason": "stop"}]},
                {"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20}},
                "[DONE]",
            ),
        )
        settings = {"STRINGD_RUNS_OPENAI_URL": f"{site.url}/v1", "OPENAI_API_KEY": "sk-secret-of-the-server"}
        daemon = DaemonProcess(tmp_path, (), settings, port=0, data_dir=None, operator=True)
        daemon.start()
        daemon.register("default", daemon.home)
        with run_client(daemon) as client:
            client.ask("list_providers", live=True)
        run_id = finished(daemon, strategy(daemon, "asked", {"a": {"model": "openai-compatible/m"}}), "Well?")
        page = page_of(signed_in(daemon), run_id)
        daemon.kill()
    assert "<strong>Yes</strong>" in page
    assert "Thought" in page
    assert "hm &lt;i&gt;, " in page
    assert ">a, agent, done, 120 tok, $0.30<" in page
    assert "openai-compatible/m" in page
    assert "sk-secret" not in page

"""All providers of a daemon: the models that agents name, keys, and lists of providers and models."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from stringd.plugin import Fault, User
from stringd_runs.messages.daemon_replies import ListedModel, ListedProvider
from stringd_runs.model_provider import Model, ModelProvider, ProviderFailed
from stringd_runs.providers import scripted
from stringd_runs.providers.provider_catalogue import ChosenModel, ProviderCatalogue
from tests.runs.providers.model_calls import USER
from tests.runs.providers.streaming_server import KEY, Providers
from tests.web.server import answer


def choose(providers: Providers, name: str, **provider_options: Any) -> ChosenModel:
    async def run(catalogue: ProviderCatalogue) -> ChosenModel:
        return catalogue.choose(name, USER, provider_options)

    return providers.use(run)


def listed(providers: Providers, **fields: Any) -> dict[str, ListedProvider]:
    async def run(catalogue: ProviderCatalogue) -> Sequence[ListedProvider]:
        return await catalogue.list_providers(USER, **fields)

    found = providers.use(run)
    assert [it.id for it in found] == sorted(it.id for it in found)
    return {it.id: it for it in found}


def models(providers: Providers, **fields: Any) -> Sequence[ListedModel]:
    async def run(catalogue: ProviderCatalogue) -> Sequence[ListedModel]:
        await catalogue.list_providers(USER, live=True)
        return await catalogue.list_models(USER, **fields)

    return providers.use(run)


def own(name: str, *model_ids: str, **fields: Any) -> ModelProvider:
    return ModelProvider(
        name=name,
        title=name.title(),
        stream=scripted.stream,
        models=[Model(id=it) for it in model_ids],
        **fields,
    )


@pytest.mark.requirement("runs.providers.names")
@pytest.mark.parametrize(
    ("name", "provider", "model"),
    [
        ("scripted/echo", "scripted", "echo"),
        ("anthropic/claude-x", "anthropic", "claude-x"),
        ("openai-compatible/org/model:free", "openai-compatible", "org/model:free"),
        ("openai-compatible//m", "openai-compatible", "/m"),
    ],
)
def test_the_name_of_a_model_splits_at_the_first_slash(
    providers: Providers, name: str, provider: str, model: str
) -> None:
    chosen = choose(providers, name)
    assert (chosen.provider.name, chosen.model, chosen.name) == (provider, model, name)


@pytest.mark.requirement("runs.providers.names")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("echo", "a model is named as provider/model, not echo"),
        ("scripted/", "a model is named as provider/model, not scripted/"),
        ("/echo", "a model is named as provider/model, not /echo"),
        ("zzzzzz/x", "there is no provider zzzzzz: there are anthropic, openai-compatible"),
        ("antropic/x", "there is no provider antropic: did you mean anthropic?"),
        ("scripted/parrot", "scripted has no model parrot"),
    ],
)
def test_a_model_that_cannot_be_found_is_refused(providers: Providers, name: str, message: str) -> None:
    with pytest.raises(ProviderFailed) as failed:
        choose(providers, name)
    assert str(failed.value).startswith(message)


@pytest.mark.requirement("runs.providers.names")
def test_options_are_those_for_the_provider_and_checked_at_once(providers: Providers) -> None:
    chosen = choose(providers, "scripted/echo", scripted={"chunks": 2}, anthropic={"x": 1})
    assert chosen.options == {"chunks": 2}
    with pytest.raises(ProviderFailed, match="chunks must be a whole number"):
        choose(providers, "scripted/echo", scripted={"chunks": "2"})
    with pytest.raises(ProviderFailed, match=r"providerOptions\.scripted must be a mapping"):
        choose(providers, "scripted/echo", scripted=["chunks"])


@pytest.mark.requirement("runs.providers.keys")
@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("openai-compatible/m", "OPENAI_API_KEY"),
        ("anthropic/m", "ANTHROPIC_API_KEY"),
        ("far.away/m", "FAR_AWAY_API_KEY"),
    ],
)
def test_without_a_key_the_variable_is_named(
    providers: Providers, model: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    providers.settings |= {
        "openai_url": "https://127.0.0.1:9/v1",
        "endpoints": ("far.away=https://127.0.0.1:9",),
    }
    providers.secrets.clear()
    name = model.partition("/")[0]
    with pytest.raises(ProviderFailed) as failed:
        choose(providers, model)
    hint = f"set {variable}, or run `stringd secret set {variable} --plugin runs`"
    assert str(failed.value) == f"{name} is not configured: {hint}"
    assert listed(providers)[name].auth_status == "none"
    monkeypatch.setenv(variable, f" {KEY}\n")
    assert choose(providers, model).model == "m"
    assert listed(providers)[name].auth_status == "configured"


@pytest.mark.requirement("runs.providers.keys")
def test_a_stored_key_comes_before_that_of_the_environment(
    providers: Providers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-the-environment")
    providers.site.serve("/v1/models", answer('{"data": []}', media_type="application/json"))
    listed(providers, live=True)
    assert {it.headers["x-api-key"] for it in providers.site.received if it.headers["x-api-key"]} == {KEY}


@pytest.mark.requirement("runs.providers.lists")
def test_providers_are_listed_without_asking_them(providers: Providers) -> None:
    providers.settings["endpoints"] = (f"local={providers.site.url}",)
    found = listed(providers)
    assert list(found) == ["anthropic", "local", "openai-compatible", "process", "scripted"]
    assert found["scripted"] == ListedProvider(
        id="scripted",
        name="Scripted",
        credential_type=found["scripted"].credential_type.NONE,
        auth_status="configured",
        models=[ListedModel(id="echo", name="Echo")],
        models_source="built-in",
        is_custom=False,
    )
    assert found["local"].is_custom
    assert [found[it].credential_type for it in ("anthropic", "local", "openai-compatible")] == [
        "api",
        "custom",
        "api",
    ]
    assert not providers.site.received


@pytest.mark.requirement("runs.providers.lists")
def test_a_scope_of_configured_leaves_the_others_out(providers: Providers) -> None:
    providers.secrets.clear()
    assert "anthropic" in listed(providers)
    assert list(listed(providers, scope="configured")) == ["openai-compatible", "process", "scripted"]
    assert {it.id for it in models(providers, scope="configured")} == {"echo"}


@pytest.mark.requirement("runs.providers.lists.live")
def test_a_live_list_has_the_models_that_the_servers_name(providers: Providers) -> None:
    data = [{"id": "gpt-5"}, {"id": "vllm", "max_model_len": 4096}, {"id": "routed", "context_length": 8192}]
    providers.settings["openai_url"] = f"{providers.site.url}/openai/v1?api-version=2"
    providers.site.page("/openai/v1/models", json.dumps({"object": "list", "data": data}), "application/json")
    data = [{"type": "model", "id": "claude-6", "display_name": "Claude 6"}]
    providers.site.page("/v1/models", json.dumps({"data": data, "has_more": False}), "application/json")
    found = listed(providers, live=True)
    assert [(it.id, it.context_window) for it in found["openai-compatible"].models] == [
        ("gpt-5", None),
        ("vllm", 4096),
        ("routed", 8192),
    ]
    assert [(it.id, it.name) for it in found["anthropic"].models] == [("claude-6", "Claude 6")]
    assert {it.models_source for it in found.values()} == {"live", "built-in"}
    assert "/openai/v1/models?api-version=2" in providers.site.paths


@pytest.mark.requirement("runs.providers.lists.live")
def test_models_that_are_listed_to_one_user_are_not_shown_to_another(providers: Providers) -> None:
    async def list_models(user: User) -> Sequence[Model]:
        return [Model(id=f"tuned-for-{user.id}", context_window=1000)]

    async def run(catalogue: ProviderCatalogue) -> list[Sequence[str]]:
        await catalogue.list_providers(USER, live=True)
        bob = replace(USER, id="bob")
        assert catalogue.choose("own/tuned-for-ann", USER, {}).context_window == 1000
        assert catalogue.choose("own/tuned-for-ann", bob, {}).context_window is None
        return [[it.id for it in await catalogue.list_models(user, model_id="uned")] for user in (USER, bob)]

    providers.secrets.clear()
    providers.records = (own("own", "untuned", list_models=list_models),)
    assert providers.use(run) == [["tuned-for-ann"], ["untuned"]]


@pytest.mark.requirement("runs.providers.lists.live")
@pytest.mark.parametrize("window", ["8k", [8192], {"tokens": 1}])
def test_a_context_that_is_no_number_is_unknown(providers: Providers, window: Any) -> None:
    data = json.dumps({"data": [{"id": "m", "context_length": window}]})
    providers.site.page("/v1/models", data, "application/json")
    (model,) = listed(providers, live=True)["openai-compatible"].models
    assert model.context_window is None


@pytest.mark.requirement("runs.providers.lists.live")
@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (
            answer(f'{{"error": "No {KEY}"}}', status="401 Unauthorized"),
            "401 Unauthorized: No $OPENAI_API_KEY",
        ),
        (answer("<html>", status="200 OK"), "has sent something that is not JSON"),
        (answer('{"models": []}'), "has sent a list of models that cannot be understood"),
        (answer('{"data": [5]}'), "has sent a list of models that cannot be understood"),
        (answer('{"data": [{"id": 5}]}'), "has sent a list of models that cannot be understood"),
        (answer("[" * 100_000), "has sent something that is not JSON"),
    ],
)
def test_a_server_that_cannot_list_its_models_is_named_and_the_others_are_listed(
    providers: Providers, reply: bytes, message: str
) -> None:
    providers.settings["openai_url"] = f"{providers.site.url}/openai"
    providers.site.serve("/openai/models", reply)
    providers.site.page("/v1/models", '{"data": [{"id": "claude-6"}]}', "application/json")
    found = listed(providers, live=True)
    assert message in (found["openai-compatible"].error or "")
    assert KEY not in (found["openai-compatible"].error or "")
    assert [it.id for it in found["anthropic"].models] == ["claude-6"]
    assert found["anthropic"].error is None


@pytest.mark.requirement("runs.providers.lists.live")
def test_what_a_plugin_raises_for_its_models_is_an_error_of_its_own(providers: Providers) -> None:
    async def fail(_: object) -> Sequence[Model]:
        raise ValueError(KEY)

    providers.records = (own("broken", "m", list_models=fail),)
    found = listed(providers, live=True)
    assert found["broken"].error == "broken failed with ValueError: see the log"
    assert [it.id for it in found["broken"].models] == ["m"]


@pytest.mark.requirement("runs.providers.failures")
def test_a_bug_of_a_plugin_concerns_its_provider_alone(providers: Providers) -> None:
    def fail(*_: object) -> bool:
        raise ValueError(KEY)

    providers.records = (own("unsure", "m", is_configured=fail), own("unchecked", "m", check=fail))
    found = listed(providers)
    assert (found["unsure"].auth_status, found["scripted"].auth_status) == ("none", "configured")
    with pytest.raises(ProviderFailed, match="unsure is not configured"):
        choose(providers, "unsure/m")
    with pytest.raises(ProviderFailed, match="unchecked failed with ValueError: see the log"):
        choose(providers, "unchecked/m")


@pytest.mark.requirement("runs.providers.lists.models")
def test_models_are_listed_once_with_all_that_offer_them(providers: Providers) -> None:
    providers.secrets.clear()
    providers.records = (
        own("here", "shared", "Only-Here"),
        own("there", "shared", is_configured=lambda _: False),
        own("nowhere", "lost", is_configured=lambda _: False),
    )
    found = models(providers)
    assert [it.id for it in found] == sorted(it.id for it in found)
    by_id = {it.id: it for it in found}
    assert by_id["shared"] == ListedModel(
        id="shared", has_credentials=True, providers=["here", "there"], configured_providers=["here"]
    )
    assert by_id["lost"].has_credentials is False
    assert [it.id for it in models(providers, model_id="only-h")] == ["Only-Here"]
    assert models(providers, model_id="no such model") == []


@pytest.mark.requirement("runs.providers.hook")
def test_providers_of_plugins_can_be_chosen_but_replace_none(
    providers: Providers, caplog: pytest.LogCaptureFixture
) -> None:
    providers.records = (own("mine", "m"), own("scripted", "fake"))
    assert choose(providers, "mine/m").provider.title == "Mine"
    assert choose(providers, "scripted/echo").provider is scripted.PROVIDER
    assert "a plugin's provider scripted is left out" in caplog.text


@pytest.mark.requirement("runs.providers.openai.instances")
@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (("local",), "each entry of runs.endpoints must be NAME=VALUE with a lower-case name, not 'local'"),
        (("=http://x",), "each entry of runs.endpoints must be NAME=VALUE"),
        (("a/b=http://x",), "each entry of runs.endpoints must be NAME=VALUE"),
        (("Local=http://x",), "each entry of runs.endpoints must be NAME=VALUE"),
        (("local=",), "each entry of runs.endpoints must be NAME=VALUE"),
        (("a=http://x", "a=http://y"), "runs.endpoints has two entries called a"),
        (("anthropic=http://x",), "runs.endpoints has an entry called anthropic, as another provider is"),
    ],
)
def test_a_wrong_endpoint_is_named(providers: Providers, entries: tuple[str, ...], message: str) -> None:
    providers.settings["endpoints"] = entries
    with pytest.raises(Fault) as fault:
        listed(providers)
    assert str(fault.value).startswith(message)


@pytest.mark.requirement("runs.providers.process.names")
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"programs": ("cat",)}, "each entry of runs.programs must be NAME=VALUE"),
        ({"json_programs": ("A=cat",)}, "each entry of runs.json_programs must be NAME=VALUE"),
        ({"programs": ("a=cat 'x",)}, "the command of the program a cannot be read: No closing quotation"),
        ({"programs": ("a=''",)}, "the command of the program a cannot be read: it is empty"),
        ({"programs": ("a=cat",), "json_programs": ("a=cat",)}, "two programs are called a"),
    ],
)
def test_a_wrong_program_is_named(
    providers: Providers, settings: dict[str, tuple[str, ...]], message: str
) -> None:
    providers.settings |= settings
    with pytest.raises(Fault) as fault:
        listed(providers)
    assert str(fault.value).startswith(message)


@pytest.mark.requirement("runs.providers.lists.live")
def test_a_server_that_does_not_list_in_time_is_named(
    providers: Providers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stringd_runs.providers.provider_catalogue._LIST_SECONDS", 0.2)
    providers.site.serve("/v1/models", answer('{"data": []}'))
    with providers.site.holding("/v1/models"):
        found = listed(providers, live=True)
    assert found["anthropic"].error == "anthropic has not answered for 0.2 seconds"
    assert found["anthropic"].models


@pytest.mark.parametrize("work", [listed, models])
def test_lists_tell_no_keys(providers: Providers, work: Callable[..., object]) -> None:
    assert KEY not in repr(work(providers))

"""A plugin whose every function raises the exception that its input names."""

from __future__ import annotations

RAISED = ["StopIteration", "SystemExit", "GeneratorExit", "KeyboardInterrupt", "CancelledError", "Unheard"]

FAIL = """
import asyncio
from stringd.plugin import *

class Unheard(BaseException): pass

KINDS = (StopIteration, SystemExit, GeneratorExit, KeyboardInterrupt, asyncio.CancelledError, Unheard)

def fail(text, marker=""):
    for kind in KINDS:
        if marker in text and kind.__name__.lower() in text.lower():
            raise kind("on purpose")
"""
"""What such plugins begin with: `fail` raises the exception whose name is in a text."""

SOURCE = (
    FAIL
    + """
from contextlib import asynccontextmanager
from starlette.routing import Route
from stringd.plugin.effects import ShellRun
from stringd.plugin.events import current_output

async def fine(invocation): return Reply.confirmation("Fine")
async def run(invocation): fail(invocation.line.text)
async def task(invocation):
    async def raising(): fail(invocation.line.text)
    await asyncio.create_task(raising())
async def withdraw(invocation):
    asyncio.current_task().cancel()
    await asyncio.Event().wait()
async def resign(invocation):
    asyncio.current_task().cancel()
    return Reply.confirmation("Fine")
async def send(invocation):
    topic, _, cmd = invocation.line.arguments.partition(" ")
    runtime, user = invocation.runtime, invocation.session.user
    outcome = await runtime.execute(user.id, runtime.topic_name(topic), cmd)
    return outcome.reply
async def text(invocation):
    fail(invocation.line.text)
    return Reply.confirmation("Fine")
def mask(text):
    fail(text)
    return text
def hide(text): return text.replace("secret", "********")
def urgent(line): fail(line.text)
async def slow(invocation): await asyncio.sleep(3600)
def concerns(invocation): fail(invocation.line.text, "concerning")
def adopts(wanted): fail(wanted.uri)
async def around(invocation, proceed):
    fail(invocation.line.text, "intercepted")
    return await proceed(invocation)
def observe(event): fail(event.label, "observed")
async def load(wanted):
    scheme, _, rest = wanted.uri.partition(":")
    if scheme == "raising": fail(rest)
    size = 100_000 if scheme == "large" else 10
    return LoadedBytes(uri=wanted.uri, media_type="text/raising", body=rest.encode() + b" " * size)
def render(loaded):
    fail(loaded.body.decode())
    return Document(uri=loaded.uri, title=None, text="Fine")

def directly(context):
    fail(context.session.name.name)
    return keep()
@asynccontextmanager
async def keep(): yield Topic()
@asynccontextmanager
async def opening(context):
    fail(context.session.name.name)
    yield Topic()
@asynccontextmanager
async def closing(context):
    yield Topic()
    fail(context.session.name.name)
class Odd(Topic):
    def masked(self, text):
        fail(text, "odd")
        return text
@asynccontextmanager
async def odd(context):
    yield Odd()

def names(user, runtime):
    yield "ready"
    fail(user.id)

async def permit(asked): fail(asked.purpose)
async def affect(invocation):
    user, runtime = invocation.session.user, invocation.runtime
    effect = ShellRun(text="true", directory=user.home)
    await runtime.permit(effect, user=user, topic="file:main", purpose=invocation.line.arguments)
async def wonder(invocation):
    def check(answer): fail(str(answer.value))
    question = Question(
        title="What?", kind=QuestionKind.TEXT, trust=Trust.ANYONE, asked_by="raising", check=check
    )
    return Reply.confirmation((await invocation.ask(question)).value)
async def printing(invocation):
    current_output().write("shown")
    await asyncio.sleep(0.2)
    return Reply.confirmation("Fine")

async def await_next(invocation):
    invocation.runtime.events.at_next(lambda: fail(invocation.line.text))
    return Reply.confirmation("Fine")

class Veiled(Topic):
    def __init__(self, name): self.name = name
    def secret_scope(self): fail(self.name)
@asynccontextmanager
async def veiled(context):
    yield Veiled(context.session.name.name)

class Broken(Topic):
    def __init__(self, name): self.name = name
    def fail(self, method, value):
        if self.name.startswith(method): fail(self.name)
        return value
    def info(self): return self.fail("info", {})
    def check_variables(self, variables): self.fail("check", None)
    def secret_scope(self): return self.fail("scope", SecretScope(user_id="default", owner="raising"))
    def is_secret(self, name): return self.fail("secret", True)
    def advice(self): return self.fail("advice", "")
    def masked(self, text):
        return self.fail("masked", text.replace("hidden", "***") if "advice" in self.name else text)
    async def cancel(self): return self.fail("cancel", None)
    async def ending(self, reason): self.fail("ending", None)
@asynccontextmanager
async def broken(context):
    yield Broken(context.session.name.name)

class Deaf(Topic):
    def __init__(self, name): self.name = name
    def takes_empty_text(self): fail(self.name)
@asynccontextmanager
async def deaf(context):
    yield Deaf(context.session.name.name)

@hookimpl
def stringd_topic_types():
    opens = (directly, opening, closing, odd, broken, veiled, deaf)
    made = [TopicType(name=it.__name__, summary="A test.", open=it) for it in opens]
    listed = [TopicType(name="listed", summary="A test.", names=lambda user, runtime: ["one"])]
    named = [TopicType(name="named", summary="A test.", names=names)]
    talk = [TopicType(name="talk", summary="A test.", plain_text=text)]
    mute = [TopicType(name="mute", summary="A test.", plain_text=text, open=deaf)]
    return [*named, *made, *listed, *talk, *mute]
COMMANDS = (fine, run, task, withdraw, resign, send, slow, affect, wonder, printing, await_next)
@hookimpl
def stringd_commands():
    plain = [Command(name=it.__name__, summary="A test.", usage="", run=it) for it in COMMANDS]
    more = {"masked": {"mask": mask}, "urgent": {"urgent": urgent, "mask": hide}}
    made = [Command(name=it, summary="A test.", usage="", run=fine, **more[it]) for it in more]
    return [*plain, *made]
@hookimpl
def stringd_interceptors():
    second = Interceptor(name="second", run=around, concerns=concerns)
    return [Interceptor(name="first", run=around, permit=permit), second]
@hookimpl
def stringd_observers():
    outputs = frozenset({Output.kind})
    more = Observer(name="second", on_event=lambda event: None, kinds=outputs)
    return [Observer(name="first", on_event=observe), more]
@hookimpl
def stringd_loaders():
    adopting = Loader(schemes=("adopting",), load=load, adopts=adopts)
    return [Loader(schemes=("raising", "small", "large"), load=load), adopting]
@hookimpl
def stringd_routes(runtime):
    async def answer(request): fail(request.query_params["raise"])
    return [Route("/raising", answer)]
@hookimpl
def stringd_services(runtime):
    def service(name):
        async def serve(): fail(name)
        return Service(name=name.lower(), run=serve)
    return [service(it.__name__) for it in KINDS]
@hookimpl
def stringd_health(runtime):
    names = [it.__name__ for it in KINDS]
    return [HealthField(name=f"raises{it}", read=lambda it=it: fail(it)) for it in names]
@hookimpl
def stringd_renderers(): return [Renderer(media_types=("text/raising",), render=render)]
"""
)

"""A site whose pages have default actions with prepared templates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tests.actions.acting import Stage, act
from tests.actions.service import Service

PAGE = "/page.md"


@dataclass(frozen=True, kw_only=True)
class Site:
    """A page of a service, with a default action that is answered by the same service."""

    service: Service

    @property
    def url(self) -> str:
        return f"{self.service.url}{PAGE}"

    def sets(self, variables: Mapping[str, str], *fences: str, jinja: bool = False) -> None:
        """Have the page set variables as soon as it is opened."""
        self.service.answer("/own", {f"v{number}": it for number, it in enumerate(variables.values())})
        lines = [
            f"{{% set {name} = response.body.v{number} %}}"
            if jinja
            else f"{{{name}}} = {{Response.body.v{number}}}"
            for number, name in enumerate(variables)
        ]
        self.acts(
            act("own", f"GET {self.service.url}/own"),
            act(f"own.response{'.j2' if jinja else ''}", *lines, "done"),
            *fences,
            head="---\ndefault: own\n---\n",
        )

    def acts(self, *fences: str, head: str = "") -> None:
        """Have the page hold these fences."""
        text = f"{head}# Page\n\n" + "\n\n".join(fences) + "\n"
        self.service.answer(PAGE, text, media_type="text/markdown")

    def brings(self, stage: Stage, variables: Mapping[str, str], *, jinja: bool = False) -> str:
        """Have a topic open the page, and return what it shows of it."""
        self.sets(variables, jinja=jinja)
        return stage.send(f"/open {self.url}")


def own_page(stage: Stage, *fences: str) -> str:
    """Write a page of the user's own, open it from wherever the topic is, and return what is shown of it."""
    stage.write("# Own\n\n" + "\n\n".join(fences) + "\n", "own.md")
    return stage.send("/open ~/own.md")


def variables_of(stage: Stage) -> dict[str, str]:
    """The values that a topic lists, by name; none of a test's values holds a quote or a line end."""
    lines = stage.send("/set").split("\n---\n")[1].splitlines()
    return {
        it.partition("}")[0][1:]: json.loads(it.partition(" = ")[2].partition(" — ")[0])
        for it in lines
        if it.startswith("{")
    }

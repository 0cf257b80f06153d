"""The pages of the Python documentation keep all their content."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING

import pytest

from tests.web.fidelity.shares import WANTED, shares, told
from tests.web.python_doc import FOLDER, compared, pages
from tests.web.server import Site, serving

if TYPE_CHECKING:
    from stringd.testing.process import DaemonProcess
    from tests.web.fidelity.comparing import Tally

SIDE_BY_SIDE = 2
AT_A_TIME = 10
FEWEST = 300


@pytest.fixture(scope="module")
def names() -> list[str]:
    found = pages()
    if not found and not os.environ.get("CI"):
        pytest.skip(f"no pages in {FOLDER}: install Debian's python3-doc, as .ci/debian does")
    return found


@pytest.fixture(scope="module")
def documentation(names: list[str]) -> Iterator[Site]:
    with serving() as site:
        for name in names:
            site.page(f"/{name}", (FOLDER / name).read_bytes())
        yield site


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.requirement("web.content")
def test_python_documentation_is_complete(
    shared: DaemonProcess,
    documentation: Site,
    names: list[str],
    record_property: Callable[[str, object], None],
) -> None:
    assert len(names) >= FEWEST
    tallies = _read_by_several(shared.port, documentation.url, names)
    sums = shares(tallies.values())
    record_property("told", told("python3-doc", len(tallies), sums))
    lost = [
        f"{name}: {kind}: {it}"
        for name, kinds in tallies.items()
        for kind, its in kinds.items()
        for it in its.missing
    ]
    assert {kind: str(share) for kind, share in sums.items() if share.found < WANTED} == {}, "\n".join(lost)
    assert tallies.keys() == set(names)


def _read_by_several(port: int, origin: str, names: list[str]) -> dict[str, Mapping[str, Tally]]:
    """Compare the pages in processes of their own, so that the daemon and its reader work side by side."""
    batches = [names[at : at + AT_A_TIME] for at in range(0, len(names), AT_A_TIME)]
    found: dict[str, Mapping[str, Tally]] = {}
    with ProcessPoolExecutor(SIDE_BY_SIDE, mp_context=get_context("spawn")) as pool:
        jobs = [
            pool.submit(compared, port, origin, f"web:doc-{number}", batch)
            for number, batch in enumerate(batches)
        ]
        for job in jobs:
            found |= job.result()
    return found

"""Why a home is not served here."""

from __future__ import annotations

from stringd.plugin.stores import HomeMoved


class HomeTaken(Exception):
    """Another node has the home, or this one may not take it."""


class HomeElsewhere(HomeMoved):
    """A request that another node has passed on came to a node which may not have the home."""

    def __init__(self, user_id: str) -> None:
        super().__init__(f"The home of {user_id} is at another node.")


class HomeUnavailable(HomeMoved):
    """No live node may have the home."""

    def __init__(self, label: str | None) -> None:
        where = f"a node with the label {label}" if label else "a node that is not draining"
        super().__init__(
            f"This home needs {where}, and none is there. Try again later; "
            "`stringd cluster status` lists the nodes."
        )


class NotAMember(HomeMoved):
    """This node has no lease now."""

    def __init__(self) -> None:
        super().__init__("This node has no connection to the cluster's database now. Try again.")

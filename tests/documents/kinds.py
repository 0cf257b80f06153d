"""Generated texts of any size that would be slow for parsers that look back."""

from __future__ import annotations

from collections.abc import Callable

Make = Callable[[int], str]


def repeated(piece: str, before: str = "", after: str = "") -> Make:
    """Return what makes a text of one piece, over and over."""
    return lambda size: before + piece * (size // len(piece)) + after


def numbered(*pieces: str) -> Make:
    """Return what makes a text of pieces that are all different, one kind after the other."""
    length = sum(map(len, pieces)) + 4 * len(pieces)
    return lambda size: "".join(it.format(number) for it in pieces for number in range(size // length))


def alternating(*pieces: str) -> Make:
    """Return the same, the kinds in turn."""
    length = sum(map(len, pieces)) + 4 * len(pieces)
    return lambda size: "".join(it.format(number) for number in range(size // length) for it in pieces)


def nested(begin: str, end: str) -> Make:
    """Return what makes a text of pieces in pieces."""
    return lambda size: begin * (size // len(begin + end)) + "x" + end * (size // len(begin + end))


def action(piece: str, before: str = "", after: str = "") -> Make:
    """Return what makes one action of pieces that may be numbered."""
    head = "```act.a\nGET https://x.example\n" + before
    return lambda size: (
        head + "".join(piece.format(it) for it in range(size // len(piece))) + after + "\n```\n"
    )


LINK = "[a](https://x.example) "
KINDS: dict[str, Make] = {
    "links": repeated("[a](b) "),
    "links in lines": repeated("[a](b)\n"),
    "links in paragraphs": repeated("[a](b)\n\n"),
    "links of the web": alternating("[a{0}](https://x.example/{0}) "),
    "links in a table": repeated(f"| {LINK}|\n", "| a |\n|---|\n"),
    "links in a cell": repeated(LINK, "| a |\n|---|\n| "),
    "links in links": nested("[", "](y)"),
    "links in a heading": repeated("[@a b](c) ", "# "),
    "menus": repeated("[!nav:x](y)\n"),
    "menus in a line": repeated("[!nav:x](y) "),
    "includes": alternating("[!include:x{0}](y)\n\n"),
    "includes that never end": repeated("[!include:x]("),
    "a directive of blanks": lambda size: "[!nav:x](" + " " * size + "x(",
    "names": alternating("[@a{0} b](c) "),
    "references": repeated("[r]\n", "[r]: /x\n\n"),
    "references to nothing": repeated("[r] "),
    "references by name": repeated("[r][@x] ", "[@x]: /x\n\n"),
    "definitions": alternating("[@a{0}]: /x\n"),
    "definitions and references": alternating("[a{0}]: /x\n\n", "[a{0}] "),
    "a label of brackets": lambda size: "[" + "\\[" * (size // 2) + "\n]: /x\n",
    "images": repeated("![a](b) "),
    "images in images": nested("![", "](b)"),
    "images that never end": repeated("!["),
    "brackets": repeated("["),
    "brackets in brackets": nested("[", "]"),
    "titles that never end": repeated('[a](b "'),
    "targets that never end": repeated("[a](<b"),
    "emphasis": repeated("*a **b _c __d "),
    "emphasis in emphasis": nested("*", "*"),
    "stars in words": repeated("a**b*c* "),
    "backticks": repeated("`"),
    "rising backticks": lambda size: "".join("`" * it + " " for it in range(int((2 * size) ** 0.5))),
    "code spans of many lines": repeated("`x\n"),
    "blocks that never end": alternating("<!-- #a{0} -->\n"),
    "blocks that never meet": numbered("<!-- #a{0} -->\n", "<!-- /b{0} -->\n"),
    "blocks that overlap": numbered("<!-- #a{0} -->\n\n", "<!-- /a{0} -->\n\n"),
    "headings in nested blocks": lambda size: (
        "".join(f"<!-- #a{it} -->\n\n# h\n\n" for it in range(size // 40))
        + "".join(f"<!-- /a{it} -->\n\n" for it in reversed(range(size // 40)))
    ),
    "comments that never end": repeated("a <!-- \n"),
    "comments that end in dashes": repeated("<!--a---> ", "a "),
    "CDATA that never ends": repeated("a <![CDATA["),
    "tags that never end": repeated("<a b = c = "),
    "tags of attributes": repeated(" b='c'", "<a "),
    "headings": repeated("# x\n"),
    "headings with an id": repeated("# x {#a}\n"),
    "headings with half an id": repeated("{#", "# a "),
    "underlined": lambda size: "a\n" * (size // 2) + "===\n",
    "one line": repeated("word "),
    "blank lines": repeated("\n"),
    "rows": repeated("| x | y |\n", "| a |\n|---|\n"),
    "heads": repeated("|a|\n"),
    "quotes": repeated("> "),
    "quotes of lists": repeated("> - "),
    "lists in lists": lambda size: "".join("  " * it + "- x\n" for it in range(int(size**0.5))),
    "items": repeated("- a\n\n"),
    "addresses": repeated("<https://x.example> "),
    "addresses that never end": repeated("<https://x.example "),
    "entities": repeated("&amp;&#"),
    "actions": alternating("```act.a{0}\nGET https://x.example\n  q: string\n```\n"),
    "parameters": action("  q{0}, -q: string\n"),
    "choices": action("a{0}|", "  q: string (", "b)"),
    "a header of blanks": action(" ", "  A: b", "c\x0c"),
    "quoted words": action("'a' \"b\" ", "  body:\n    "),
    "frontmatter": lambda size: "---\n" + "".join(f"a{it}: b\n" for it in range(size // 9)) + "---\n",
    "frontmatter in frontmatter": lambda size: "---\na: " + "[" * size + "\n---\n",
    "frontmatter of aliases": lambda size: (
        "---\na0: &a0 x\n"
        + "".join(f"a{it}: &a{it} [*a{it - 1}, *a{it - 1}]\n" for it in range(1, size // 26))
        + "---\n"
    ),
    "code that never ends": repeated("```\na\n\n"),
    "marks over letters": repeated("e\u0327\u0301"),
    "line ends of all kinds": repeated("a\r\nb\rc\n\n"),
}

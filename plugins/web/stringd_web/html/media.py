"""Images as Markdown images; audio, video and frames as links."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd_web.html.link_resolution import LinkTargets
from stringd_web.html.marks import LINK_END, Marks
from stringd_web.html.nodes import ancestors, attribute, remove_nodes, text_of
from stringd_web.html.page_source import PageSource, find_named

_SOURCES = "data-src", "data-lazy-src", "data-original", "data-url", "src", "data"
_SRCSETS = "srcset", "data-srcset"
_PLACEHOLDER = re.compile(
    r"data:|about:|\s*$|.*(?:placeholder|spacer|blank|transparent|1x1)[\w.-]*\.(?:gif|png|svg)$",
    re.IGNORECASE,
)
_PLAYED = frozenset({"audio", "video"})
_EXCUSE = re.compile(r"browser|navigat(?:eu|o)r|navegador|html\s?5|\bsupport|javascript|flash", re.IGNORECASE)
_LONGEST_EXCUSE = 300
_MEDIA = ("img", "svg", "area", "video", "audio", "iframe", "frame", "object", "embed")


def inline_frames(tree: LexborHTMLParser) -> LexborHTMLParser:
    """Turn a frameset into a body with iframes."""
    frames = tree.css("frameset frame") if tree.body is None else []
    if not frames:
        return tree
    head = tree.head.html if tree.head else ""
    shown = (f"{it.html}</iframe>".replace("<frame ", "<p><iframe ", 1) for it in frames)
    return LexborHTMLParser(f"{head}<body>{''.join(shown)}")


def extract_media(tree: LexborHTMLParser, source: PageSource, targets: LinkTargets, marks: Marks) -> None:
    """Replace images by marks, and audio, video and frames by links."""
    found = find_named(tree, source, _MEDIA)
    pictures = tree.css("a[href] img") if found else []
    _label_picture_links(tree, pictures)
    linked = {it.mem_id for it in pictures}
    for node in reversed(found):
        if node.tag == "img":
            _replace_image(node, targets, marks, is_linked=node.mem_id in linked)
        elif node.tag == "svg":
            _replace_drawing(node)
        elif node.tag == "area":
            _replace_area(node, targets, marks)
        else:
            _replace_frame(node, targets, marks)


def _label_picture_links(tree: LexborHTMLParser, pictures: list[LexborNode]) -> None:
    """Label links around unnamed pictures by file name, unless another link has the same target."""
    around = {link.mem_id: (link, it) for it in reversed(pictures) if (link := _link_around(it)) is not None}
    bare = [(link, it) for link, it in around.values() if not text_of(link) and not _name_of(link)]
    if bare:
        known = {attribute(it, "href") for it in tree.css("a[href]") if text_of(it) or _name_of(it)}
        for link, picture in reversed(bare):
            if attribute(link, "href") not in known:
                known.add(attribute(link, "href"))
                link.attrs["title"] = _file_name(_source(picture))


def _link_around(picture: LexborNode) -> LexborNode | None:
    around = () if _is_pixel(picture) else ancestors(picture)
    return next((it for it in around if it.tag == "a"), None)


def _name_of(link: LexborNode) -> str:
    return attribute(link, "title") or attribute(link, "aria-label") or "".join(map(_label, link.css("img")))


def _is_pixel(picture: LexborNode) -> bool:
    return attribute(picture, "width") in {"0", "1"}


def _label(picture: LexborNode) -> str:
    label = picture.attrs.get("alt") or attribute(picture, "title") or attribute(picture, "aria-label")
    return " ".join(label.split())


def _replace_area(node: LexborNode, targets: LinkTargets, marks: Marks) -> None:
    target, label = (
        targets.resolve(node.attrs.get("href")),
        attribute(node, "alt") or attribute(node, "title"),
    )
    if target and label:
        node.replace_with(f"{marks.link(label, target)}{label}{LINK_END} ")


def _replace_drawing(node: LexborNode) -> None:
    """Replace a drawing by its text; an icon that is all of a link, by its title."""
    shown = " ".join(map(text_of, node.css("text")))
    node.replace_with(shown or _icon_name(node))


def _icon_name(node: LexborNode) -> str:
    title = node.css_first("title")
    parent = node.parent
    is_only_content = (
        parent is not None and parent.tag in {"a", "button"} and text_of(parent) == text_of(node)
    )
    return (text_of(title) if title else attribute(node, "aria-label")) if is_only_content else ""


def _replace_image(node: LexborNode, targets: LinkTargets, marks: Marks, *, is_linked: bool) -> None:
    label = _label(node)
    source = _source(node)
    target = targets.resolve(source) if source else None
    if is_linked or not target or _is_pixel(node):
        node.replace_with(label)
    elif label or node.attrs.get("alt") is None or _is_figure(node):
        node.replace_with(marks.image(label or _file_name(target), target))
    else:
        node.decompose()


def _is_figure(node: LexborNode) -> bool:
    parent = node.parent
    return parent is not None and parent.tag in {"figure", "picture"}


def _source(node: LexborNode) -> str:
    """Return the URL of an image, also if it is in an attribute for lazy loading."""
    values = [attribute(node, name) for name in _SOURCES]
    values += [_first_candidate(attribute(node, name)) for name in _SRCSETS]
    if (parent := node.parent) is not None and parent.tag == "picture":
        values += [_first_candidate(attribute(it, "srcset")) for it in parent.css("source")]
    values += [attribute(it, "src") for it in node.css("source")]
    known = [it for it in values if it]
    loaded = [it for it in known if not it.startswith(("data:", "about:"))]
    return next((it for it in loaded if not _PLACEHOLDER.match(it)), next(iter(loaded), ""))


def _first_candidate(value: str) -> str:
    """Return the first URL of a srcset."""
    return next(iter(value.split()), "").rstrip(",")


def _file_name(target: str) -> str:
    try:
        return unquote(posixpath.basename(urlsplit(target).path)) or "image"
    except ValueError:
        return "image"


def _replace_frame(node: LexborNode, targets: LinkTargets, marks: Marks) -> None:
    source = _source(node)
    target = targets.resolve(source) if source else None
    if not target:
        node.unwrap()
        return
    kind = {"iframe": "frame", "embed": "object"}.get(node.tag or "", node.tag)
    name = attribute(node, "title") or attribute(node, "aria-label") or _file_name(target)
    label = f"{kind}: {name}"
    node.insert_before(f" {marks.link(label, target)}{label}{LINK_END} ")
    if node.tag == "object" or (node.tag in _PLAYED and _has_alternative(node, targets, target)):
        node.unwrap()
    else:
        remove_nodes([node])


def _has_alternative(node: LexborNode, targets: LinkTargets, target: str) -> bool:
    """Whether what browsers without a player show says more than that they have none."""
    sources = {targets.resolve(it.attrs.get("src")) for it in node.css("source")}
    links = {targets.resolve(it.attrs.get("href")) for it in node.css("a[href]")}
    text = text_of(node)
    is_excuse = len(text) <= _LONGEST_EXCUSE and _EXCUSE.search(text) is not None
    return bool(links - {*sources, target, None}) or (bool(text) and not is_excuse)

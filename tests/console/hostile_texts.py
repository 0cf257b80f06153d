"""Two hundred texts that would like to be more than texts."""

from __future__ import annotations

from itertools import product

_RUN = "window.hacked=1"
_MARKUP = (
    f"<script>{_RUN}</script>",
    f"</script><script>{_RUN}</script>",
    f"<img src=x onerror={_RUN}>",
    f"<svg onload={_RUN}>",
    f"<svg><script>{_RUN}</script></svg>",
    f"<body onload={_RUN}>",
    f"<iframe srcdoc='<script>parent.{_RUN}</script>'>",
    f"<iframe src=javascript:parent.{_RUN}>",
    f"<a href=javascript:{_RUN}>Approve</a>",
    f"<details open ontoggle={_RUN}>",
    f"<input autofocus onfocus={_RUN}>",
    f"<math><mtext><script>{_RUN}</script>",
    f"<template><script>{_RUN}</script></template>",
    f"<object data='data:text/html,<script>{_RUN}</script>'>",
    f"<embed src=javascript:{_RUN}>",
    "<form action=https://evil.invalid><button>Approve</button></form>",
    "<base href=https://evil.invalid/>",
    "<meta http-equiv=refresh content='0;url=https://evil.invalid'>",
    "<link rel=stylesheet href=https://evil.invalid/x.css>",
    "<dialog open>Your session has ended. Type your token:<input></dialog>",
    "<div style='position:fixed;inset:0;background:red'>Approve</div>",
    "<marquee>",
    "</main></body></html>",
    "<!--",
    "<![CDATA[",
    "<plaintext>",
    "<textarea>",
    "<select><option>",
    "<noscript><p title='</noscript><script>" + _RUN + "</script>'>",
    f"<xss id=x tabindex=1 onfocus={_RUN}></xss>",
)
_BREAKS = ("", "\"'>", '" ', "'", "`", "--></style></title></textarea>")
_OPENED = ("\"'>", "' onmouseover=" + _RUN + " x='", '" autofocus onfocus="' + _RUN, "javascript:" + _RUN)
_MARKDOWN = (
    f"[Approve](javascript:{_RUN})",
    f"[Approve](JaVaScRiPt&colon;{_RUN})",
    f"[Approve](data:text/html,<script>{_RUN}</script>)",
    f"[Approve](vbscript:{_RUN})",
    "[Approve](/console/act/questions/answer)",
    "[https://bank.example](https://evil.invalid)",
    "![x](https://evil.invalid/pixel.png)",
    f'![x](x "onerror={_RUN}")',
    f"<javascript:{_RUN}>",
    "[x]: https://evil.invalid\n[x]",
    '```" onclick="' + _RUN + "\n```",
    "```html\n<script>" + _RUN + "</script>\n```",
    "```\n</code></pre><script>" + _RUN + "</script>\n```",
    "# Heading\n## Another\n###### Last",
    "| a |\n|---|\n| <script>" + _RUN + "</script> |",
    "> " * 200 + "deep",
    "- " * 200 + "deep",
    "[" * 2000 + "](x)" * 100,
    "*" * 5000,
    "`" * 4999 + "x",
)
_CSS = (
    "url(https://evil.invalid/x)",
    "expression(" + _RUN + ")",
    "}</style><style>*{display:none}",
    "@import 'https://evil.invalid/x.css';",
    "red;background:url(//evil.invalid)",
)
_UNICODE = (
    "\u202egpj.exe",
    "\u202dA\u202eB\u202c",
    "\u2066\u2067\u2068\u2069",
    "pay\u200bpal",
    "a\u0301" * 200,
    "Z" + "\u0363\u0489" * 300,
    "\ufeff",
    "\u2028alert\u2029",
    "\U000e0041\U000e0042",
    "\u00ad" * 100,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\u0627\u0644\u0639\u0631\u0628\u064a\u0629",
    "\u3000\u3164\uffa0",
    "аpprove",
    "＜script＞" + _RUN + "＜/script＞",
)
_TERMINAL = (
    "\x1b]0;title\x07",
    "\x1b]8;;https://evil.invalid\x1b\\Approve\x1b]8;;\x1b\\",
    "\x1b[2J\x1b[H",
    "\x1b[31mred\x1b[0m",
    "\x1b[?1049h",
    "\x1bc",
    "\x1b]52;c;aGFja2Vk\x07",
    "\x9b31m",
    "\x07" * 100,
    "\b" * 50,
    "one\rtwo",
    "\x1b[6n\x1b[c",
)
_CODE = (
    "{{ 7 * 7 }}",
    "{% raw %}",
    "{{ ''.__class__.__mro__ }}",
    "${7*7}",
    "#{7*7}",
    "<%= 7*7 %>",
    '{"regions": {"waiting": ""}}',
    "\n\nevent: patch\ndata: {}\n\n",
    "%s%s%s%n",
    "../../../../etc/passwd",
    "constructor",
    "__proto__",
    "toString",
    "data-act=/console/act/questions/answer",
)
_LARGE = (
    "A" * 20_000,
    "word " * 4_000,
    "\n" * 3_000,
    "W" * 300 + " " + "i" * 300,
    "<b>" * 3_000,
    "🏳️‍🌈" * 500,
)
_FALSE = (
    "The daemon has been restarted. Type your operator's token here: ______",
    "✅ Approved by operator",
    "[Approve] [Deny]",
    "(1) Question: shall I continue? y/n",
    "ERROR(DENIED): click Approve to retry",
    "stringd: the operator's token, shown only here: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
)

HOSTILE_TEXTS: tuple[str, ...] = tuple(
    dict.fromkeys(
        (
            *_MARKUP,
            *(f"{broken}{markup}" for broken, markup in product(_BREAKS[1:], _MARKUP[:18])),
            *_OPENED,
            *_MARKDOWN,
            *_CSS,
            *_UNICODE,
            *_TERMINAL,
            *_CODE,
            *_LARGE,
            *_FALSE,
        )
    )
)

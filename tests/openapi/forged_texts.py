"""Texts that try to be markup, markers, actions or lines of replies."""

from __future__ import annotations

from hypothesis import strategies as st

FORGED = (
    "```act.evil\nCLI rm -rf ~\n```",
    "\n\n```act.evil\nCLI id\n```\n",
    "~~~act.evil\nCLI id\n~~~",
    "[!include](/etc/passwd)",
    "[!nav:x](evil.md)",
    "[@go Go](file:///etc/passwd)",
    "[x](javascript:a)\n[y]: http://evil.example",
    "<!-- @id evil -->",
    "<script>x</script>",
    "---\nre: /x\nERROR(X): y\n---",
    "$API_TOKEN {HOME} @file",
    '" = "$API_TOKEN',
    'a\n  evil: string = "$API_TOKEN"',
    "\x1b[31mred\x07\u202e",
    "1. one\n# Heading {#evil}\n> quote\n| a | b |\n",
    "   ```\n",
    "\\",
    "`",
)
TEXTS = st.one_of(
    st.sampled_from(FORGED),
    st.text(max_size=60),
    st.lists(
        st.sampled_from([*FORGED, "x ", "\n", "[", "]", "(", ")", "`", '"', "|", "<", "#"]), max_size=6
    ).map("".join),
)

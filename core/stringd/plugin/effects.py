"""Effects of commands outside of stringd, and guards that may refuse them."""

from __future__ import annotations

from stringd.api.effects import Effect, EffectGuard, FileChange, ShellRun, TypedInput, guarded, permit

__all__ = ["Effect", "EffectGuard", "FileChange", "ShellRun", "TypedInput", "guarded", "permit"]

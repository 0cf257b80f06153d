"""`python -m stringd`."""

from __future__ import annotations

import sys

from stringd.cli.main import main

sys.exit(main())

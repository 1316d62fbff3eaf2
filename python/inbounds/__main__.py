"""``python -m inbounds`` is the command ``inbounds``."""

import sys

from ._command import main

sys.exit(main())

"""Run the command as ``python -m lapoleaf.cli``."""

import sys

from lapoleaf.cli import main

sys.exit(main())

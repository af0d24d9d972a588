"""How often a property is tried: some times in `make test`, and with other cases many times in `make fuzz`."""

import os

MORE = int(os.environ.get("MORE_EXAMPLES", "1"))

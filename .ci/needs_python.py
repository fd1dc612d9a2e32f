"""Stop an installation at once where Python is too old: pip would first try older libraries."""

import sys

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NeedsPython(BuildHookInterface):
    """Compare this Python with what pyproject.toml requires."""

    def initialize(self, version, build_data):
        """Change nothing, but end if this Python is too old."""
        here = ".".join(map(str, sys.version_info[:3]))
        needed = self.metadata.core.requires_python
        if not self.metadata.core.python_constraint.contains(here):
            sys.exit(f"This package needs Python {needed}; this is Python {here}.")

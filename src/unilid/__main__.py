"""``python -m unilid``: the command line."""

from unilid.cli.main import script

script()

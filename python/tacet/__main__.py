"""`python -m tacet check FILE`: the command `tacet`, without a terminal to ask at."""

import sys

from .command import command


def main() -> int:
    """Prints what the command prints; its exit code."""
    done = command(*sys.argv[1:])
    sys.stdout.write(done.out)
    sys.stderr.write(done.err)
    return done.exit_code


if __name__ == "__main__":
    sys.exit(main())

"""`python -m shangyou` is the command line."""

from shangyou.cli import main

main()

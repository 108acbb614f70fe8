"""``lapoleaf studio``: label rows on a page in the browser."""

from __future__ import annotations

import argparse
import signal
import threading

from lapoleaf.cli.arguments import INPUT, add_columns

HELP = "a page to label rows in: label one, and all labels follow"
EXAMPLES = (
    ("lapoleaf studio photos",
     "label the photos of a folder; labels are kept in photos.lapoleaf"),
    ("lapoleaf studio birds.csv --label species --id ring --project birds.lapoleaf",
     "continue with a table that has some labels; rows are found again by their ring"),
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "input", metavar="INPUT", nargs="?",
        help=f"{INPUT}; a project, or a model that was kept with its rows (default: a page to "
        "choose from)",
    )  # fmt: skip
    add_columns(parser)
    parser.add_argument(
        "--project", metavar="FILE", help="where labels are kept (default: INPUT.lapoleaf)"
    )
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="number of threads (default: all cores)"
    )
    server = parser.add_argument_group("the server")
    server.add_argument(
        "--port", type=int, default=0, metavar="N", help="port (default: any that is free)"
    )
    server.add_argument(
        "--no-browser", action="store_true", help="print the address, and open no browser"
    )
    server.add_argument(
        "--host", default="127.0.0.1", metavar="HOST",
        help="listen for other machines, too; needs --certificate and --key, or --insecure "
        "(default: %(default)s, this machine only)",
    )  # fmt: skip
    server.add_argument("--certificate", metavar="FILE", help="certificate of TLS, for --host")
    server.add_argument("--key", metavar="FILE", help="its key")
    server.add_argument(
        "--insecure", action="store_true",
        help="with --host, without TLS: rows, labels and the address with its token can be read "
        "on the way, and with the token files of yours can be opened and copied",
    )  # fmt: skip


def _close_when_asked_to_end() -> None:
    """Handle the end of the terminal or a shutdown like Ctrl-C.

    Otherwise the last labels would stay in the write-ahead log beside the project, and would be
    lost in a copy of the project file alone.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        if hasattr(signal, "SIGHUP"):
            # Once the server runs, it handles SIGTERM itself.
            signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from lapoleaf.cli.problems import read_options
    from lapoleaf.studio.security import is_loopback
    from lapoleaf.studio.serving import make_server, open_browser

    server = make_server(
        arguments.input,
        project=arguments.project,
        host=arguments.host,
        port=arguments.port,
        certificate=arguments.certificate,
        key=arguments.key,
        insecure=arguments.insecure,
        n_jobs=arguments.jobs,
        **read_options(arguments),
    )
    _close_when_asked_to_end()
    if arguments.certificate is None and not is_loopback(arguments.host):
        print(
            "Without TLS, others on the network can read rows, labels and this address, and with "
            "the address open files of yours.",
            flush=True,
        )
    print(f"The studio is at {server.url}", flush=True)
    print("Ctrl-C ends it; every label is kept at once.", flush=True)
    if not arguments.no_browser:
        open_browser(server.url)
    server.run()
    return 0

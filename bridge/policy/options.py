"""What the owner may allow: the fields are the command line's flags as well."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyOptions:
    """Nothing is allowed unless it is named here."""

    allow_domain: Annotated[
        tuple[str, ...],
        "A host that may be used: example.com, *.example.com (all below it too), "
        "example.com:8080; repeatable.",
    ] = ()
    read_domain: Annotated[
        tuple[str, ...], "A host that may be visited and read, never acted on; repeatable."
    ] = ()
    unsafe_all_domains: Annotated[bool, "Every host may be used; nothing is filtered."] = False
    enable_mutations: Annotated[
        bool, "Clicking, typing and whatever else changes a page, on the hosts allowed."
    ] = False
    unsafe_enable_eval: Annotated[bool, "Scripts of the caller, on the hosts allowed."] = False
    enable_downloads: Annotated[bool, "Downloads, into a folder of ours."] = False
    enable_uploads: Annotated[bool, "Uploads, from the folder named with --uploads-dir."] = False
    uploads_dir: Annotated[Path | None, "The one folder files may be uploaded from."] = None
    policy_file: Annotated[Path | None, "A TOML file with lists of hosts: never, read and act."] = (
        None
    )

#!/usr/bin/env python3
"""Compares what each target imports with what Package.swift lists for it; prints every difference.

The compiler's own check lets a target import what one of its dependencies depends on.

  swift package describe --type json | scripts/imports.py
"""

import json
import pathlib
import re
import sys

IMPORT = re.compile(r"^\s*(?:@\w+ )*(?:\w+ )?import (?:class |struct |enum |func |protocol )?(\w+)", re.MULTILINE)

targets = json.load(sys.stdin)["targets"]
names = {target["name"] for target in targets}
differences = []
for target in targets:
    if target["module_type"] != "SwiftTarget":
        continue
    sources = [pathlib.Path(target["path"], source).read_text() for source in target["sources"]]
    imported = {name for source in sources for name in IMPORT.findall(source)} & names - {target["name"]}
    listed = set(target.get("target_dependencies", []))
    differences += [f"{target['name']} imports {name}, which is not listed for it" for name in sorted(imported - listed)]
    differences += [f"{target['name']} lists {name}, which it does not import" for name in sorted(listed - imported)]
print("\n".join(differences))
sys.exit(1 if differences else 0)

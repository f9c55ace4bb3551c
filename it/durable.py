#!/usr/bin/env python3
"""Says which files of a directory a loss of power could take, by what it/faults.c traced of the program that made them.

    it/durable.py TRACE DIR     prints a line for each file and name that no sync covers; ends with 1 when there is one

A file is durable when a sync followed its last write, and its name is durable when a sync of its directory followed its creation or its
renaming; a file is renamed only behind its sync. Files that the program has not touched were there before.
"""
import os
import sys

# A log for people, and files whose content is empty.
UNPROMISED = {"LOG", "LOCK"}


def main(trace, made):
    unsynced, unnamed, touched, wrong = set(), {}, set(), []
    renamed = ""
    for line in open(trace):
        what, path = line.rstrip("\n").split(" ", 1)
        parent = os.path.dirname(path)
        if what in ("write", "synced", "mkdir"):
            if path not in touched:
                unnamed.setdefault(parent, set()).add(path)
            touched.add(path)
            if what == "write":
                unsynced.add(path)
        elif what == "sync":
            unsynced.discard(path)
            unnamed.pop(path, None)
        elif what == "rename":
            renamed = path
        elif what == "to":
            if renamed in unsynced:
                wrong.append(f"renamed before its sync: {path}")
            unsynced.discard(renamed)
            touched.discard(renamed)
            unnamed.get(os.path.dirname(renamed), set()).discard(renamed)
            unnamed.setdefault(parent, set()).add(path)
            touched.add(path)
    paths = [made]
    for parent, directories, files in os.walk(made):
        paths += [os.path.join(parent, name) for name in directories + files]
    promised = [path for path in paths if os.path.basename(path) not in UNPROMISED]
    wrong += [f"not synced behind its last write: {path}" for path in promised if path in unsynced]
    names = set().union(*unnamed.values()) if unnamed else set()
    above = os.path.dirname(made)
    wrong += [f"its name is not durable: {path}" for path in promised + [above] if path in names]
    for each in wrong:
        print(each)
    if not touched:
        wrong.append("nothing was traced")
        print(wrong[-1])
    if not wrong:
        print(f"durable: {len(promised)} files and directories, {len(touched)} of them new")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])))

#!/usr/bin/env python3
"""Compares pitest's reports with packages.txt and equivalents.txt, for it/mutation.sh, which says more.

    survivors.py TARGET UPDATE ALL NAME...    TARGET: the build directory of a module; UPDATE and ALL: yes or no
"""
import fnmatch
import os
import re
import sys
import xml.etree.ElementTree as tree

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PACKAGES = os.path.join(HERE, "packages.txt")
EQUIVALENTS = os.path.join(HERE, "equivalents.txt")


def entries(file, count):
    for number, line in enumerate(open(file), 1):
        fields = [field.strip() for field in line.split("|", count - 1)]
        if line.strip() and not line.startswith("#"):
            if len(fields) != count or not all(fields):
                sys.exit(f"{file}:{number}: not {count} fields")
            yield fields


def fits(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern.strip()) for pattern in patterns.split(","))


class Mutant:
    def __init__(self, module, of):
        self.type = of.findtext("mutatedClass")
        self.method = of.findtext("mutatedMethod")
        self.line = int(of.findtext("lineNumber"))
        self.mutator = re.sub("Mutator$", "", of.findtext("mutator").rsplit(".", 1)[-1])
        self.what = of.findtext("description")
        self.survives = of.get("status") in ("SURVIVED", "NO_COVERAGE")
        package = self.type.rsplit(".", 1)[0].replace(".", "/")
        self.file = f"{module}/src/main/java/{package}/{of.findtext('sourceFile')}"

    def source(self):
        with open(os.path.join(ROOT, self.file)) as file:
            return file.read().split("\n")[self.line - 1]

    def __str__(self):
        return f"{self.file}:{self.line}: {self.mutator} in {self.method}: {self.what}"


def mutants(module, target):
    report = os.path.join(ROOT, module, target, "pit-reports", "mutations.xml")
    if not os.path.exists(report):
        sys.exit(f"survivors.py: pitest left no {report}: are there such classes and tests?")
    return [Mutant(module, of) for of in tree.parse(report).getroot()]


def main(target, update, show_all, names):
    known = list(entries(PACKAGES, 6))
    equivalents = [(tuple(fields), set()) for fields in entries(EQUIVALENTS, 4)]
    reports, bad, smaller, fewer = {}, False, {}, []
    for name, module, classes, _, _, most in known:
        if name not in names:
            continue
        if module not in reports:
            reports[module] = mutants(module, target)
        of_line = [mutant for mutant in reports[module] if fits(mutant.type, classes)]
        if not of_line:
            sys.exit(f"survivors.py: {name} has no mutants")
        left = []
        for mutant in of_line:
            if mutant.survives:
                reasons = [used for (type_, mutator, text, _), used in equivalents
                           if type_ == mutant.type and mutator == mutant.mutator and text in mutant.source()]
                for used in reasons:
                    used.add(mutant.line)
                if not reasons:
                    left.append(mutant)
        alive = sum(mutant.survives for mutant in of_line)
        print(f"mutation: {name}: {len(of_line)} mutants, {len(of_line) - alive} noticed, {alive - len(left)} equivalent,"
              f" {len(left)} survive, {most} may")
        if len(left) > int(most):
            bad = True
        elif len(left) < int(most):
            smaller[name] = len(left)
            fewer.append(name)
        if len(left) > int(most) or show_all == "yes":
            for mutant in left:
                print(f"  {mutant}")
        for (type_, mutator, text, _), used in equivalents:
            if fits(type_, classes) and len(used) != 1:
                print(f"  equivalents.txt: '{type_} | {mutator} | {text}' fits {len(used)} lines with survivors, not one")
                bad = True
    if smaller and update == "yes":
        lines = open(PACKAGES).read().split("\n")
        with open(PACKAGES, "w") as file:
            file.write("\n".join(re.sub(r"\d+$", str(smaller[line.split("|")[0].strip()]), line)
                                 if line.split("|")[0].strip() in smaller else line for line in lines))
    elif smaller:
        print(f"mutation: fewer survive than may, in {' '.join(fewer)}: it/mutation.sh --update writes that down")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]))

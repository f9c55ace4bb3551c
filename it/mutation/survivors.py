#!/usr/bin/env python3
"""Compares pitest's reports with packages.txt and equivalents.txt, for it/mutation.sh, which says more.

    survivors.py TARGET UPDATE ALL NAME SECONDS    TARGET: the build directory of a module; UPDATE and ALL: yes or no;
                                                SECONDS: how long pitest ran for this line
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


def main(target, update, show_all, name, seconds):
    [(module, classes, most)] = [(fields[1], fields[2], int(fields[5])) for fields in entries(PACKAGES, 6) if fields[0] == name]
    of_line = mutants(module, target)
    if not of_line:
        sys.exit(f"survivors.py: {name} has no mutants")
    equivalents = [(tuple(fields), set()) for fields in entries(EQUIVALENTS, 4) if fits(fields[0], classes)]
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
    minutes = f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
    print(f"mutation: {name}: {len(of_line)} mutants, {len(of_line) - alive} noticed, {alive - len(left)} equivalent,"
          f" {len(left)} survive, {most} may, {minutes} minutes")
    bad = len(left) > most
    if bad or show_all == "yes":
        for mutant in left:
            print(f"  {mutant}")
    for (type_, mutator, text, _), used in equivalents:
        if len(used) != 1:
            print(f"  equivalents.txt: '{type_} | {mutator} | {text}' fits {len(used)} lines with survivors, not one")
            bad = True
    if len(left) < most and update == "yes":
        lines = open(PACKAGES).read().split("\n")
        with open(PACKAGES, "w") as file:
            file.write("\n".join(re.sub(r"\d+$", str(len(left)), line) if line.split("|")[0].strip() == name else line
                                 for line in lines))
    elif len(left) < most:
        print(f"mutation: fewer survive than may, in {name}: it/mutation.sh --update writes that down")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

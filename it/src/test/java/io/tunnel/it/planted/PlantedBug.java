package io.tunnel.it.planted;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A patch that makes the product wrong.
 *
 * @param name the file's name without its ending
 * @param what what a user would lose, in one sentence
 * @param judges who has to notice; one of them is enough
 * @param files the files that the patch changes, from the root of the repository
 */
record PlantedBug(String name, String what, List<Judge> judges, List<Path> files, Path patch) {

  PlantedBug {
    judges = List.copyOf(judges);
    files = List.copyOf(files);
    if (what.isBlank() || judges.isEmpty() || files.isEmpty()) {
      throw new IllegalArgumentException(
          patch + " begins with 'What: ...' and at least one 'Judge: ...', and changes a file");
    }
  }

  /** Reads a patch and the lines in front of it. */
  static PlantedBug read(Path patch) throws IOException {
    StringBuilder what = new StringBuilder();
    List<Judge> judges = new ArrayList<>();
    List<Path> files = new ArrayList<>();
    for (String line : Files.readAllLines(patch)) {
      if (line.startsWith("+++ b/")) {
        files.add(Path.of(line.substring("+++ b/".length())));
      } else if (files.isEmpty() && line.startsWith("What: ")) {
        what.append(line.substring("What: ".length()).strip());
      } else if (files.isEmpty() && line.startsWith("Judge: ")) {
        judges.add(Judge.parse(line.substring("Judge: ".length()).strip()));
      }
    }
    String name = patch.getFileName().toString().replaceFirst("\\.patch$", "");
    return new PlantedBug(name, what.toString(), judges, files, patch);
  }

  /** All patches of {@code directory} whose names begin with one of {@code prefixes}, in order. */
  static List<PlantedBug> all(Path directory, List<String> prefixes) throws IOException {
    List<Path> patches;
    try (Stream<Path> listed = Files.list(directory)) {
      patches = listed.filter(file -> file.toString().endsWith(".patch")).sorted().toList();
    }
    List<PlantedBug> bugs = new ArrayList<>();
    for (Path patch : patches) {
      String name = patch.getFileName().toString();
      if (prefixes.isEmpty() || prefixes.stream().anyMatch(name::startsWith)) {
        bugs.add(read(patch));
      }
    }
    return bugs;
  }
}

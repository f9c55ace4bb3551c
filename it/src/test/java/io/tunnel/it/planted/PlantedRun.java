package io.tunnel.it.planted;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Plants a bug and asks its judges, each in a process of its own. */
final class PlantedRun {

  private static final Pattern FOUND =
      Pattern.compile("(?m)^FOUND (?:by )?(.+?)(?: after (\\d+) seeds.*)?$");

  private final PlantedTree tree;
  private final Path work;
  private final long judgeSecondsMax;
  private final long searchedSeeds;

  /** Judges that were asked without a bug. */
  private final Map<Judge, Boolean> content = new ConcurrentHashMap<>();

  /**
   * @param searchedSeeds how many other worlds are tried when a bug is not found in the recorded
   *     one
   */
  PlantedRun(PlantedTree tree, Path work, long judgeSecondsMax, long searchedSeeds) {
    this.tree = tree;
    this.work = work;
    this.judgeSecondsMax = judgeSecondsMax;
    this.searchedSeeds = searchedSeeds;
  }

  /**
   * What came of a bug.
   *
   * @param by what found it; empty when nothing did
   * @param remark what somebody has to do about it, or empty
   */
  record Result(PlantedBug bug, Optional<String> by, String remark, double seconds) {}

  Result run(PlantedBug bug) throws IOException, InterruptedException {
    long begun = System.nanoTime();
    Path classes = work.resolve(bug.name()).resolve("classes");
    Optional<String> by = Optional.empty();
    String remark = "";
    try {
      tree.plant(bug, work.resolve(bug.name()).resolve("sources"), classes);
      for (Judge judge : bug.judges()) {
        by = by.isPresent() ? by : ask(judge, judge.command(), classes);
        if (by.isPresent() && !isContentWithoutABug(judge)) {
          remark = by.get() + " fails without the bug too";
          by = Optional.empty();
        }
      }
      if (by.isEmpty() && searchedSeeds > 0) {
        for (Judge.Kind kind : kinds(bug)) {
          if (by.isEmpty()) {
            by = search(kind, classes);
            remark = by.isPresent() ? "record this seed in the patch" : "";
          }
        }
      }
    } catch (IllegalStateException e) {
      remark = e.getMessage();
    }
    return new Result(bug, by, remark, (System.nanoTime() - begun) / 1e9);
  }

  /**
   * Whether a judge finds nothing where nothing is planted. Worlds are not asked: every build runs
   * them without a bug.
   */
  private boolean isContentWithoutABug(Judge judge) throws IOException, InterruptedException {
    if (judge instanceof Judge.World) {
      return true;
    }
    Boolean known = content.get(judge);
    if (known == null) {
      known = ask(judge, judge.command(), work.resolve("nothing")).isEmpty();
      content.put(judge, known);
    }
    return known;
  }

  private static List<Judge.Kind> kinds(PlantedBug bug) {
    return bug.judges().stream()
        .filter(Judge.World.class::isInstance)
        .map(judge -> ((Judge.World) judge).kind())
        .distinct()
        .toList();
  }

  private Optional<String> search(Judge.Kind kind, Path classes)
      throws IOException, InterruptedException {
    return ask(new Judge.World(kind, 1), kind.command(1, searchedSeeds), classes);
  }

  private Optional<String> ask(Judge judge, List<String> main, Path classes)
      throws IOException, InterruptedException {
    Path said = Files.createTempFile(work, "judge", ".txt");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-ea", "-Xmx1g", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", tree.classpath(judge, classes)));
    command.addAll(main);
    ProcessBuilder builder = new ProcessBuilder(command).directory(tree.directory(judge).toFile());
    builder.environment().put("TUNNEL_LOG", "off");
    Process process = builder.redirectErrorStream(true).redirectOutput(said.toFile()).start();
    long seconds = judge instanceof Judge.World ? judgeSecondsMax * 10 : judgeSecondsMax;
    if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
      return Optional.of(judge + ": it did not end in " + seconds + " s");
    }
    return switch (process.exitValue()) {
      case 0 -> Optional.empty();
      case 1 -> Optional.of(found(judge, Files.readString(said)));
      default ->
          throw new IllegalStateException(judge + " could not be asked: " + Files.readString(said));
    };
  }

  private static String found(Judge judge, String said) {
    Matcher found = FOUND.matcher(said);
    if (!found.find()) {
      throw new IllegalStateException(judge + " failed without a reason: " + said);
    }
    if (judge instanceof Judge.World world) {
      long seed = world.seed() + Long.parseLong(found.group(2)) - 1;
      return found.group(1) + ", " + world.kind().word + " " + seed;
    }
    String className = ((Judge.Tests) judge).className();
    return className.substring(className.lastIndexOf('.') + 1) + ", " + found.group(1);
  }
}

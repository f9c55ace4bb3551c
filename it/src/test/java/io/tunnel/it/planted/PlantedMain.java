package io.tunnel.it.planted;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Plants bugs, one at a time, and sees whether their judges find them: {@code ROOT TARGET JOBS
 * SEEDS JUDGE_SECONDS [NAME...]}; it/planted.sh calls it.
 */
public final class PlantedMain {

  private PlantedMain() {}

  /** Exits with 0 when each bug was found, and with 1 when one was not. */
  public static void main(String[] args) throws Exception {
    Path root = Path.of(args[0]).toAbsolutePath();
    int jobs = Integer.parseInt(args[2]);
    List<PlantedBug> bugs =
        PlantedBug.all(root.resolve("it/src/test/planted"), List.of(args).subList(5, args.length));
    if (bugs.isEmpty()) {
      throw new IllegalArgumentException("no planted bug has such a name");
    }
    Path work = Files.createTempDirectory("planted");
    boolean isEachFound;
    try {
      PlantedRun run =
          new PlantedRun(
              new PlantedTree(root, args[1]),
              work,
              Long.parseLong(args[4]),
              Long.parseLong(args[3]));
      isEachFound = report(run, bugs, jobs);
    } finally {
      delete(work);
    }
    System.exit(isEachFound ? 0 : 1);
  }

  private static boolean report(PlantedRun run, List<PlantedBug> bugs, int jobs)
      throws InterruptedException, ExecutionException {
    ExecutorService pool = Executors.newFixedThreadPool(jobs);
    int missed = 0;
    try {
      List<Future<PlantedRun.Result>> results = new ArrayList<>();
      bugs.forEach(bug -> results.add(pool.submit(() -> run.run(bug))));
      System.out.printf("%-66s %7s  %s%n", "planted bug", "seconds", "found by");
      for (Future<PlantedRun.Result> future : results) {
        PlantedRun.Result result = future.get();
        missed += result.by().isPresent() ? 0 : 1;
        System.out.printf(
            Locale.ROOT,
            "%-66s %7.1f  %s%s%n",
            result.bug().name(),
            result.seconds(),
            result.by().orElse("NOT FOUND"),
            result.remark().isEmpty() ? "" : " (" + result.remark() + ")");
      }
    } finally {
      pool.shutdownNow();
    }
    System.out.printf("%d of %d planted bugs were found%n", bugs.size() - missed, bugs.size());
    return missed == 0;
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}

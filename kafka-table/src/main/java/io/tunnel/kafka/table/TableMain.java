package io.tunnel.kafka.table;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The child: does what is asked on standard input, line by line, until that ends; so it never
 * outlives its parent. However it is ended, if not by force, its directory goes with it.
 */
final class TableMain {

  private TableMain() {}

  /** Takes where the broker is, the directory of the state, and the number of threads. */
  public static void main(String[] arguments) throws IOException {
    TableProgram program =
        new TableProgram(
            new TableSettings(arguments[0], Path.of(arguments[1]), Integer.parseInt(arguments[2])),
            line -> System.out.println(line.text()));
    Runtime.getRuntime().addShutdownHook(new Thread(program::end, "end-table"));
    BufferedReader asked =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = asked.readLine(); line != null; line = asked.readLine()) {
      program.obey(TableRequest.parse(line));
    }
    System.exit(0);
  }
}

package io.tunnel.kafka.table;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The child: serves the requests on standard input, line by line, until the input ends; so it never
 * outlives its parent. It deletes its directory at the end, unless it is killed.
 */
final class TableMain {

  private TableMain() {}

  /** Arguments: the address of the broker, the directory of the state, the number of threads. */
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

package io.tunnel.flink.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.LocalServer;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.PrimaryKeyType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The statements of docs/guides/flink.md, pasted one after the other. */
class SqlPageTest {

  @RegisterExtension static final MiniClusterExtension CLUSTER = SqlSession.cluster();

  private static final Pattern BLOCK = Pattern.compile("```sql\\n(.*?)```", Pattern.DOTALL);

  private final List<String> declarations = new ArrayList<>();
  private SqlSession session = SqlSession.streaming();
  private List<Row> last = List.of();
  private JobClient job;

  @Test
  void every_statement_of_the_page_does_what_it_says() throws Exception {
    try (LocalServer server = new LocalServer()) {
      server.create("orders", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)));
      server.create("customers", List.of(new PrimaryKeySchema("name", PrimaryKeyType.STRING)));
      server.create("city_totals", List.of(new PrimaryKeySchema("city", PrimaryKeyType.STRING)));
      String page = Files.readString(Path.of("../docs/guides/flink.md"));
      Matcher block = BLOCK.matcher(page.replace("localhost:7650", server.endpoint()));
      int statements = 0;
      while (block.find()) {
        for (String statement : block.group(1).replaceAll("(?m)--.*$", "").split(";\\s", -1)) {
          if (!statement.isBlank()) {
            paste(statement.strip());
            statements++;
          }
        }
      }
      assertThat(statements).isGreaterThan(15);
      assertThat(last).extracting(row -> row.getField("id")).containsExactlyInAnyOrder(1L, 3L);
    } finally {
      if (job != null) {
        job.cancel().get();
      }
    }
  }

  private void paste(String statement) throws Exception {
    if (statement.startsWith("SET")) {
      if (statement.contains("execution.runtime-mode")) {
        // The SQL client makes such a session anew, too, and keeps what was declared.
        session = statement.contains("batch") ? SqlSession.batch() : SqlSession.streaming();
        declarations.forEach(session::run);
      }
    } else if (statement.startsWith("CREATE") || statement.startsWith("USE")) {
      declarations.add(statement);
      session.run(statement);
    } else if (statement.startsWith("INSERT INTO city_totals")) {
      TableResult running = session.run(statement);
      job = running.getJobClient().orElseThrow();
    } else if (statement.matches("(?s)(INSERT|UPDATE|DELETE).*")) {
      session.finish(statement);
    } else if (statement.equals("SELECT * FROM city_totals")) {
      // The job needs a moment for what the statements before changed.
      while (!session.rows(statement).equals(List.of(Row.of("Turin", 2L, 17L)))) {
        assertThat(job.getJobStatus().get().isGloballyTerminalState()).isFalse();
      }
    } else if (statement.contains("LEFT JOIN")) {
      // A join of a stream does not end.
      assertThat(session.plan(statement)).contains("LookupJoin");
    } else {
      last = session.rows(statement);
    }
  }
}

package io.tunnel.flink.table;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.functions.UserDefinedFunction;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/** A session of SQL, on the {@link #cluster} of Flink's that the test has in its process. */
final class SqlSession {

  private final TableEnvironment environment;

  private SqlSession(EnvironmentSettings settings) {
    environment = TableEnvironment.create(settings);
    var config = environment.getConfig();
    var unused =
        config
            .set("parallelism.default", "2")
            .set("table.exec.sink.upsert-materialize", "AUTO")
            .set("execution.checkpointing.interval", "100ms")
            .set("restart-strategy.type", "none")
            .set("table.local-time-zone", "UTC");
  }

  /** The cluster for all sessions of a test class; without it each job would start one. */
  static MiniClusterExtension cluster() {
    return new MiniClusterExtension(
        new MiniClusterResourceConfiguration.Builder()
            .setConfiguration(new Configuration())
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(4)
            .build());
  }

  static SqlSession streaming() {
    return new SqlSession(EnvironmentSettings.inStreamingMode());
  }

  static SqlSession batch() {
    return new SqlSession(EnvironmentSettings.inBatchMode());
  }

  /** Has Flink start each job that fails again, three times at most. */
  SqlSession restarting() {
    var unused =
        environment
            .getConfig()
            .set("restart-strategy.type", "fixed-delay")
            .set("restart-strategy.fixed-delay.attempts", "3")
            .set("restart-strategy.fixed-delay.delay", "10ms");
    return this;
  }

  /** Lets statements call a function of the test's. */
  SqlSession function(String name, Class<? extends UserDefinedFunction> function) {
    environment.createTemporarySystemFunction(name, function);
    return this;
  }

  /** Runs a statement; of a job, returns at once. */
  TableResult run(String statement) {
    return environment.executeSql(statement);
  }

  /** Runs a job to its end. */
  void finish(String statement) throws Exception {
    run(statement).await();
  }

  /** The rows of a query that ends. */
  @SuppressWarnings("try") // Flink's iterators may be interrupted when they are closed.
  List<Row> rows(String query) throws Exception {
    List<Row> rows = new ArrayList<>();
    try (CloseableIterator<Row> iterator = run(query).collect()) {
      iterator.forEachRemaining(rows::add);
    }
    return rows;
  }

  /** Runs a query of one BIGINT column to its end, which a failure's causes tell of. */
  void drain(String query) throws Exception {
    var unused = run("CREATE TABLE IF NOT EXISTS hole (n BIGINT) WITH ('connector'='blackhole')");
    finish("INSERT INTO hole " + query);
  }

  /** The plan of a query, and the operators that it becomes. */
  String plan(String query) {
    return environment.explainSql(query, ExplainDetail.JSON_EXECUTION_PLAN);
  }
}

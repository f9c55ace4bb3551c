package io.tunnel.flink.sink;

import io.tunnel.fixtures.LocalServer;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.io.IOException;
import java.net.URL;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.connector.testframe.TestResource;
import org.apache.flink.connector.testframe.environment.MiniClusterTestEnvironment;
import org.apache.flink.connector.testframe.external.ExternalContextFactory;
import org.apache.flink.connector.testframe.external.ExternalSystemDataReader;
import org.apache.flink.connector.testframe.external.sink.DataStreamSinkV2ExternalContext;
import org.apache.flink.connector.testframe.external.sink.TestingSinkSettings;
import org.apache.flink.connector.testframe.junit.annotations.TestContext;
import org.apache.flink.connector.testframe.junit.annotations.TestEnv;
import org.apache.flink.connector.testframe.junit.annotations.TestExternalSystem;
import org.apache.flink.connector.testframe.junit.annotations.TestSemantics;
import org.apache.flink.connector.testframe.testsuites.SinkTestSuiteBase;
import org.apache.flink.core.execution.CheckpointingMode;
import org.junit.jupiter.api.Tag;

/** What Flink asks of every sink, with a server and a cluster of Flink's in this process. */
@Tag("proof-flink")
class TunnelSinkSuiteTest extends SinkTestSuiteBase<String> {

  @TestEnv MiniClusterTestEnvironment flink = new MiniClusterTestEnvironment();

  @TestExternalSystem ServiceResource service = new ServiceResource();

  @TestSemantics CheckpointingMode[] semantics = {CheckpointingMode.AT_LEAST_ONCE};

  @TestContext ExternalContextFactory<Case> cases = name -> new Case(service.server);

  /** The server of all cases. */
  static final class ServiceResource implements TestResource {
    private LocalServer server;

    @Override
    public void startUp() throws IOException {
      server = new LocalServer();
    }

    @Override
    public void tearDown() throws IOException {
      server.close();
    }
  }

  /** A table of its own for each case; a record is a row's key. */
  static final class Case implements DataStreamSinkV2ExternalContext<String> {
    private static final AtomicInteger TABLES = new AtomicInteger();

    private final LocalServer server;
    private final String table = "suite_" + TABLES.incrementAndGet();

    Case(LocalServer server) {
      this.server = server;
      server.create(
          table,
          List.of(new PrimaryKeySchema("record", PrimaryKeyType.STRING)),
          PrimaryKeyValue.fromString("8"));
    }

    private static PrimaryKey key(String record) {
      return PrimaryKey.builder().add("record", record).build();
    }

    @Override
    public Sink<String> createSink(TestingSinkSettings settings) {
      return TunnelSink.<String>builder(
              (record, moment) -> new RowPutChange(key(record), List.of()))
          .endpoint(server.endpoint())
          .table(table)
          .build();
    }

    @Override
    public ExternalSystemDataReader<String> createSinkDataReader(TestingSinkSettings settings) {
      Set<String> seen = new HashSet<>();
      return new ExternalSystemDataReader<>() {
        @Override
        public List<String> poll(Duration timeout) {
          List<String> fresh = new ArrayList<>();
          for (Row row : server.rows(table)) {
            String record = row.primaryKey().getPrimaryKeyColumn(0).getValue().asString();
            if (seen.add(record)) {
              fresh.add(record);
            }
          }
          return fresh;
        }

        @Override
        public void close() {
          // The client is the server's.
        }
      };
    }

    @Override
    public List<String> generateTestData(TestingSinkSettings settings, long seed) {
      SplittableRandom random = new SplittableRandom(seed);
      List<String> records = new ArrayList<>();
      for (int i = 100 + random.nextInt(100); i > 0; i--) {
        records.add(Long.toHexString(random.nextLong()) + "-" + i);
      }
      return records;
    }

    @Override
    public List<URL> getConnectorJarPaths() {
      return List.of();
    }

    @Override
    public TypeInformation<String> getProducedType() {
      return Types.STRING;
    }

    @Override
    public void close() {
      server.client().dropTable(table);
    }
  }
}

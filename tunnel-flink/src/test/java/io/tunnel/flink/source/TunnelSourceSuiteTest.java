package io.tunnel.flink.source;

import io.tunnel.model.RowChange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.testframe.TestResource;
import org.apache.flink.connector.testframe.environment.MiniClusterTestEnvironment;
import org.apache.flink.connector.testframe.external.ExternalContextFactory;
import org.apache.flink.connector.testframe.external.ExternalSystemSplitDataWriter;
import org.apache.flink.connector.testframe.external.source.DataStreamSourceExternalContext;
import org.apache.flink.connector.testframe.external.source.TestingSourceSettings;
import org.apache.flink.connector.testframe.junit.annotations.TestContext;
import org.apache.flink.connector.testframe.junit.annotations.TestEnv;
import org.apache.flink.connector.testframe.junit.annotations.TestExternalSystem;
import org.apache.flink.connector.testframe.junit.annotations.TestSemantics;
import org.apache.flink.connector.testframe.testsuites.SourceTestSuiteBase;
import org.apache.flink.core.execution.CheckpointingMode;
import org.junit.jupiter.api.Tag;

/** What Flink asks of every source, with a server and a cluster of Flink's in this process. */
@Tag("proof-flink")
class TunnelSourceSuiteTest extends SourceTestSuiteBase<String> {

  @TestEnv MiniClusterTestEnvironment flink = new MiniClusterTestEnvironment();

  @TestExternalSystem ServiceResource service = new ServiceResource();

  @TestSemantics CheckpointingMode[] semantics = {CheckpointingMode.EXACTLY_ONCE};

  @TestContext ExternalContextFactory<Case> contexts = name -> new Case(service.served);

  /** The server of all cases. */
  static final class ServiceResource implements TestResource {
    private Served served;

    @Override
    public void startUp() throws IOException {
      served = new Served();
    }

    @Override
    public void tearDown() throws IOException {
      served.close();
    }
  }

  /** A table of its own for each case, and a partition of it for each writer. */
  static final class Case implements DataStreamSourceExternalContext<String> {
    private static final AtomicInteger TABLES = new AtomicInteger();
    private static final int PARTITIONS = 6;

    private final Served served;
    private final String table = "suite_" + TABLES.incrementAndGet();
    private int writers;

    Case(Served served) {
      this.served = served;
      served.create(table, PARTITIONS);
    }

    @Override
    public Source<String, ?, ?> createSource(TestingSourceSettings settings) {
      boolean isBounded = settings.getBoundedness() == Boundedness.BOUNDED;
      return TunnelSource.builder(new ReadRow())
          .endpoint(served.endpoint())
          .table(table)
          .endAt(isBounded ? EndAt.latest() : EndAt.never())
          .build();
    }

    @Override
    public ExternalSystemSplitDataWriter<String> createSourceSplitDataWriter(
        TestingSourceSettings settings) {
      int partition = writers;
      writers++;
      return new ExternalSystemSplitDataWriter<>() {
        @Override
        public void writeRecords(List<String> records) {
          List<RowChange> rows = new ArrayList<>();
          records.forEach(record -> rows.add(Served.put(partition, "row", record)));
          served.write(table, rows);
        }

        @Override
        public void close() {
          // The client is the service's.
        }
      };
    }

    @Override
    public List<String> generateTestData(TestingSourceSettings settings, int split, long seed) {
      SplittableRandom random = new SplittableRandom(seed);
      List<String> values = new ArrayList<>();
      for (int i = 100 + random.nextInt(100); i > 0; i--) {
        values.add(split + "-" + i + "-" + random.nextLong());
      }
      return values;
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
      try {
        served.client().dropTable(table);
      } catch (RuntimeException e) {
        throw new UncheckedIOException(new IOException(e));
      }
    }
  }
}

package io.tunnel.programs.bench.seeds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.Row;
import io.tunnel.model.TableMeta;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.testing.ClientRequest;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.SystemClock;
import io.tunnel.terminal.CommandFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Clients without the SDK, on the test kit, which answers as the server does. */
class ClosedLoopTest {

  @AutoClose private final InMemoryTunnelService service = InMemoryTunnelService.start();

  /** The first wait of a run is over at once, as on a machine that gave the run no time. */
  private static final class StarvedClock implements LoadClock {
    private final LoadClock clock = new SystemClock();
    private volatile long aheadNanos;

    @Override
    public long nanos() {
      return clock.nanos() + aheadNanos;
    }

    @Override
    public long epochMs() {
      return clock.epochMs();
    }

    @Override
    public void waitUntil(long nanos, BooleanSupplier stopped) {
      if (aheadNanos == 0) {
        aheadNanos = nanos - clock.nanos();
      } else {
        clock.waitUntil(nanos - aheadNanos, stopped);
      }
    }
  }

  private ClosedLoop open(int clients) throws InterruptedException {
    return open(clients, new SystemClock());
  }

  private ClosedLoop open(int clients, LoadClock clock) throws InterruptedException {
    String endpoint = service.endpoint();
    int port = Integer.parseInt(endpoint.substring(endpoint.lastIndexOf(':') + 1));
    return ClosedLoop.open(LoadClient.on(client -> port, TunnelDialogue::new), clients, clock);
  }

  @Test
  void every_client_asks_as_often_as_it_is_told() throws InterruptedException {
    Set<String> asked = ConcurrentHashMap.newKeySet();
    EchoRequests echo = new EchoRequests(true, 100);
    Requests noted =
        new Requests() {
          @Override
          public String name(long request) {
            return echo.name(request);
          }

          @Override
          public byte[] payload(int client, long request) {
            asked.add(client + " " + request);
            return echo.payload(client, request);
          }

          @Override
          public Optional<String> wrong(long request, byte[] answer) {
            return echo.wrong(request, answer);
          }
        };
    try (ClosedLoop loop = open(70)) {
      Trips trips = loop.runRequests(3, noted);
      assertThat(trips.answers()).isEqualTo(210);
      assertThat(asked).hasSize(210).contains("0 0", "0 2", "69 0", "69 2");
      assertThat(trips.figures()).containsKeys(Figure.PER_SECOND, Figure.P999_MS, Figure.MAX_MS);
      assertThat(trips.figures().get(Figure.AVERAGE_MS)).isPositive();
      // The same connections serve the next run.
      assertThat(loop.runRequests(1, new EchoRequests(false, 0)).answers()).isEqualTo(70);
      assertThat(loop.runFor(1, echo).answers()).isPositive();
    }
  }

  @Test
  void a_run_whose_time_is_over_without_an_answer_goes_on_to_the_first()
      throws InterruptedException {
    try (ClosedLoop loop = open(2, new StarvedClock())) {
      Trips trips = loop.runFor(1, new EchoRequests(false, 0));
      assertThat(trips.answers()).isPositive();
      assertThat(trips.figures().get(Figure.PER_SECOND)).isPositive();
    }
  }

  @Test
  void names_that_are_registered_are_found_and_others_are_not() throws InterruptedException {
    TableInfo table;
    try (TableClient client = TableClient.connect(service.endpoint())) {
      table = client.createTable(new TableMeta("names", TableRequests.KEY));
      Names names = new Names(256, 3);
      int partition = table.partitions().get(0).id();
      Requests register = new TableRequests(true, names, table.tableId(), each -> partition);
      Requests lookUp = new TableRequests(false, names, table.tableId(), each -> partition);
      try (ClosedLoop loop = open(2)) {
        assertThat(loop.runRequests(4, register).answers()).isEqualTo(8);
        assertThat(loop.runRequests(7, lookUp).answers()).isEqualTo(14);
        assertThat(client.getRange("names", RangeQuery.ALL)).hasSize(6);
        Requests others =
            new TableRequests(false, new Names(256, 9), table.tableId(), each -> partition);
        assertThatThrownBy(() -> loop.runRequests(9, others))
            .isInstanceOf(CommandFailure.class)
            .hasMessageContaining("GET_ROW: a name was not found");
      }
    }
  }

  @Test
  void an_operation_of_a_mix_is_several_requests_on_rows_that_its_client_put()
      throws InterruptedException {
    try (TableClient client = TableClient.connect(service.endpoint());
        ClosedLoop loop = open(3)) {
      TableInfo table = client.createTable(new TableMeta("work", MixRows.KEY));
      int partition = table.partitions().get(0).id();
      MixRows rows = new MixRows(2, 10);
      Requests flow =
          new MixRequests(
              List.of(MixStep.GET, MixStep.PUT, MixStep.PUT, MixStep.UPDATE, MixStep.DELETE),
              rows,
              table.tableId(),
              partition);
      assertThatThrownBy(() -> loop.runRequests(1, flow))
          .isInstanceOf(CommandFailure.class)
          .hasMessageContaining("GET_ROW: step 'get' found no row");
    }
    try (TableClient client = TableClient.connect(service.endpoint());
        ClosedLoop loop = open(3)) {
      TableInfo table = client.describeTable("work");
      int partition = table.partitions().get(0).id();
      MixRows rows = new MixRows(2, 10);
      client.write("work", List.of(rows.put(rows.before(0)), rows.put(rows.before(1))));
      Requests flow =
          new MixRequests(
              List.of(
                  MixStep.GET,
                  MixStep.QUERY,
                  MixStep.PUT,
                  MixStep.PUT,
                  MixStep.UPDATE,
                  MixStep.DELETE,
                  MixStep.UPDATE,
                  MixStep.GET),
              rows,
              table.tableId(),
              partition);
      assertThat(loop.runRequests(4, flow).answers()).as("operations").isEqualTo(12);
      List<Row> left = new ArrayList<>();
      client.getRange("work", RangeQuery.ALL).forEach(left::add);
      assertThat(left).as("one row of each operation, and those from before").hasSize(14);
      assertThat(left.stream().filter(row -> row.toString().contains("uuuuuuuuuu")))
          .as("the row put first is changed, since the other one is deleted")
          .hasSize(12);
      // A second run puts the same rows again.
      assertThat(loop.runRequests(4, flow).answers()).isEqualTo(12);
      assertThat(client.getRange("work", RangeQuery.ALL)).hasSize(14);
    }
  }

  @Test
  void a_refusal_ends_the_run_with_the_server_s_words() throws InterruptedException {
    try (ClosedLoop loop = open(2)) {
      service.refuseNext(ClientRequest.ECHO, ErrorCode.BUSY);
      assertThatThrownBy(() -> loop.runRequests(5, new EchoRequests(true, 1)))
          .isInstanceOf(CommandFailure.class)
          .hasMessageContaining("the requests were not answered: BUSY");
    }
  }

  @Test
  void a_server_that_is_not_there_is_said() {
    assertThatThrownBy(
            () ->
                ClosedLoop.open(
                        LoadClient.on(client -> 1, TunnelDialogue::new), 1, new SystemClock())
                    .close())
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("connection 0 was not opened");
  }

  @Test
  void a_name_says_its_client_and_number_and_has_its_length() {
    Names names = new Names(24, 100);
    assertThat(names.text(7, 105)).isEqualTo("c00007/n00000005/xxxxxxx").hasSize(24);
    assertThat(names.text(12_345, 99)).startsWith("c12345/n00000099/");
  }
}

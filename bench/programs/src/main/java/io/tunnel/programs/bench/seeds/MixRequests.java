package io.tunnel.programs.bench.seeds;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.Direction;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.WriteResult;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** Operations of several requests each, on rows of a table of one partition. */
final class MixRequests implements Requests {

  static final int QUERY_ROWS = 10;

  /** Key, column name and header of a row in a batch. */
  private static final int ROW_OVERHEAD_BYTES = 256;

  private final List<MixStep> steps;
  private final List<Optional<Integer>> rowOfStep;
  private final MixRows rows;
  private final int tableId;
  private final int partition;

  /**
   * Operations of these steps.
   *
   * @throws IllegalArgumentException names the step that deletes a row which no step before it put
   */
  MixRequests(List<MixStep> steps, MixRows rows, int tableId, int partition) {
    this.steps = List.copyOf(steps);
    this.rowOfStep = rowsOf(steps);
    this.rows = rows;
    this.tableId = tableId;
    this.partition = partition;
  }

  /**
   * Which of the rows that an operation puts each of its steps works on; none for a row from
   * before.
   */
  static List<Optional<Integer>> rowsOf(List<MixStep> steps) {
    Deque<Integer> put = new ArrayDeque<>();
    int puts = 0;
    List<Optional<Integer>> rows = new ArrayList<>();
    for (MixStep step : steps) {
      if (step == MixStep.PUT) {
        put.push(puts++);
      }
      if (step == MixStep.DELETE && put.isEmpty()) {
        throw new IllegalArgumentException(
            "step "
                + rows.size()
                + " deletes a row, and no step before it has put one that is left");
      }
      rows.add(step == MixStep.QUERY ? Optional.empty() : Optional.ofNullable(put.peek()));
      if (step == MixStep.DELETE) {
        put.pop();
      }
    }
    return rows;
  }

  @Override
  public int ofOperation() {
    return steps.size();
  }

  private int step(long request) {
    return (int) (request % steps.size());
  }

  @Override
  public String name(long request) {
    return steps.get(step(request)).operation().name();
  }

  @Override
  public byte[] payload(int client, long request) {
    PrimaryKey key = key(client, request);
    return switch (steps.get(step(request))) {
      case GET -> new GetRowRequest(tableId, KeyCodec.encode(key, MixRows.KEY)).encode();
      case QUERY ->
          new RangeRequest(
                  tableId,
                  Direction.FORWARD,
                  QUERY_ROWS,
                  Limits.PAGE_BYTES_MAX,
                  KeyCodec.encode(key, MixRows.KEY),
                  Bytes.EMPTY)
              .encode();
      case PUT -> write(rows.put(key));
      case UPDATE ->
          write(
              new RowUpdateChange(
                  key,
                  List.of(new ColumnUpdate.Put(MixRows.COLUMN, rows.value('u'))),
                  RowExistenceExpectation.EXPECT_EXIST));
      case DELETE -> write(new RowDeleteChange(key, RowExistenceExpectation.EXPECT_EXIST));
    };
  }

  private PrimaryKey key(int client, long request) {
    return rowOfStep
        .get(step(request))
        .map(number -> rows.own(client, request / steps.size(), number))
        .orElseGet(
            () ->
                rows.before(
                    new SplittableRandom(client * 1_000_003L + request).nextInt(rows.before())));
  }

  private byte[] write(RowChange row) {
    return TableRequests.write(
        row, MixRows.KEY, rows.bytes() + ROW_OVERHEAD_BYTES, tableId, partition);
  }

  @Override
  public Optional<String> wrong(long request, byte[] answer) {
    MixStep step = steps.get(step(request));
    return switch (step) {
      case GET, QUERY ->
          RowPage.decode(answer).rows().rowCount() > 0
              ? Optional.empty()
              : Optional.of("step '" + step.word() + "' found no row");
      case PUT, UPDATE, DELETE ->
          WriteResult.decode(answer).appliedRows() == 1
              ? Optional.empty()
              : Optional.of("step '" + step.word() + "' was not applied");
    };
  }
}

package io.tunnel.programs.demo;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.stress.rows.ChangeMix;
import io.tunnel.stress.rows.GeneratedRows;
import io.tunnel.stress.rows.RowShape;
import io.tunnel.stress.rows.RowSource;
import io.tunnel.stress.rows.StressTable;
import io.tunnel.stress.rows.UniformKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Generated rows, each key written several times so that order matters. */
record GeneratedLoad(long rowCount, long keyCount, int senders, long seed) implements DemoLoad {

  private static final ChangeMix MIX = new ChangeMix(80, 15, 5);

  @Override
  public List<PrimaryKeySchema> primaryKey() {
    return StressTable.PRIMARY_KEY;
  }

  @Override
  public List<RowSource> sources() {
    List<RowSource> sources = new ArrayList<>(senders);
    for (int i = 0; i < senders; i++) {
      sources.add(new GeneratedRows(new UniformKeys(keyCount), RowShape.WHITEPAPER, MIX, seed + i));
    }
    return sources;
  }

  @Override
  public OptionalLong rows() {
    return OptionalLong.of(rowCount);
  }

  @Override
  public Stream<PrimaryKey> keys() {
    return LongStream.range(0, keyCount).mapToObj(GeneratedRows::key);
  }

  @Override
  public void close() {}
}

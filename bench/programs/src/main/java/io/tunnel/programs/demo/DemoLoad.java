package io.tunnel.programs.demo;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.stress.rows.RowSource;
import java.io.Closeable;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** What the demo writes. */
interface DemoLoad extends Closeable {

  /** The key of the table; its first column is a hash. */
  List<PrimaryKeySchema> primaryKey();

  /** A source per sender, asked for once. */
  List<RowSource> sources();

  /** Rows to write; empty for as many as the sources have. */
  OptionalLong rows();

  /** Every key that may have been written, to name the keys in which a fault was found. */
  Stream<PrimaryKey> keys();
}

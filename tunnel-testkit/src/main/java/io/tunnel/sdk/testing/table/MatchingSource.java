package io.tunnel.sdk.testing.table;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.codec.SingleRow;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.KeyTerms;
import java.util.Optional;
import java.util.OptionalLong;

/** The changes of a partition whose keys match, one batch for each. */
public final class MatchingSource implements ChannelSource {

  private final MemoryPartition partition;
  private final KeyTerms terms;

  /** The changes of {@code partition} that {@code terms} match. */
  public MatchingSource(MemoryPartition partition, KeyTerms terms) {
    this.partition = partition;
    this.terms = terms;
  }

  @Override
  public Optional<ChangeBatch> next(long position, int bytesMax) {
    for (ChangeBatch batch : partition.changes()) {
      if (batch.lastPosition() > position) {
        RowCursor row = batch.rows();
        while (row.next()) {
          if (batch.basePosition() + row.index() > position
              && terms.match(batch.array(), row.keyOffset(), row.keyBytes())) {
            byte[] one = SingleRow.of(row, terms.isKeysOnly());
            return Optional.of(ChangeBatch.parse(one, 0, one.length));
          }
        }
      }
    }
    return Optional.empty();
  }

  /** A watch has no end. */
  @Override
  public OptionalLong end() {
    return OptionalLong.empty();
  }

  @Override
  public long committed(long delivered) {
    return partition.committed();
  }

  @Override
  public Bytes keyAt(long position) {
    return Bytes.EMPTY;
  }

  @Override
  public void moveTo(long position, Bytes key) {
    // A stream needs no key beside the position.
  }

  @Override
  public void crashed(long checkpointed) {
    // Changes are read from the partition each time, without state here.
  }
}

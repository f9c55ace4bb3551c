package io.tunnel.it.sim.cluster.append;

import io.tunnel.codec.Binary;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The log of blocks that all nodes share, and which node was given which intact block. */
public final class SimBlocks {

  private final TreeMap<Integer, Log> logs = new TreeMap<>();

  /** Names of intact blocks that some node was given, by partition. */
  private final TreeMap<Integer, Set<Name>> given = new TreeMap<>();

  /** Bytes of a block before the id of its snapshot. */
  private static final int FORM_BYTES = 2;

  /**
   * Which block it is.
   *
   * @param snapshot id of the snapshot
   * @param number of the block in its snapshot
   */
  public record Name(long snapshot, int number) {

    private static Name of(Bytes block) {
      byte[] bytes = block.toByteArray();
      return new Name(
          Binary.getLong(bytes, FORM_BYTES), Binary.getInt(bytes, FORM_BYTES + Long.BYTES));
    }
  }

  /** The log of a partition. */
  static final class Log {
    final TreeMap<Long, Bytes> blocks = new TreeMap<>();
    final Set<Long> damaged = new HashSet<>();
    long end;
    long first;
  }

  Log log(int partition) {
    return logs.computeIfAbsent(partition, id -> new Log());
  }

  /** The log takes a block; returns the offset of the block. */
  long land(int partition, Bytes block) {
    Log log = log(partition);
    long offset = log.end;
    log.blocks.put(offset, block);
    log.end++;
    return offset;
  }

  /** The log takes a block with a flipped bit, or takes the block and loses it. */
  long landDamaged(int partition, Bytes block, int bit) {
    long offset = land(partition, block);
    Log log = log(partition);
    if (bit < 0) {
      log.blocks.remove(offset);
    } else {
      byte[] bytes = block.toByteArray();
      bytes[bit / Byte.SIZE % bytes.length] ^= (byte) (1 << (bit % Byte.SIZE));
      log.blocks.put(offset, Bytes.copyOf(bytes));
      log.damaged.add(offset);
    }
    return offset;
  }

  /** Gives a node the first block at an offset or after. */
  Optional<SnapshotBlocks.Found> give(int partition, long offset) {
    Log log = log(partition);
    var found = log.blocks.ceilingEntry(Math.max(offset, log.first));
    if (found == null) {
      return Optional.empty();
    }
    if (!log.damaged.contains(found.getKey())) {
      given.computeIfAbsent(partition, id -> new HashSet<>()).add(Name.of(found.getValue()));
    }
    return Optional.of(new SnapshotBlocks.Found(found.getKey(), found.getValue()));
  }

  void deleteBefore(int partition, long offset) {
    Log log = log(partition);
    log.first = Math.max(log.first, offset);
    log.blocks.headMap(log.first).clear();
  }

  /** The offset of the first block that was not deleted. */
  public long first(int partition) {
    return log(partition).first;
  }

  /** Names of intact blocks that nodes were given. */
  public Set<Name> given(int partition) {
    return given.getOrDefault(partition, Set.of());
  }
}

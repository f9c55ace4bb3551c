package io.tunnel.server.partition.judge;

import io.tunnel.model.value.Bytes;

/**
 * The key of a row. Ordered, because writers choose keys, and may choose many of one hash: a bucket
 * of a hash map then takes a logarithm of comparisons and not one with each other key.
 */
record RowKey(int partition, Bytes key) implements Comparable<RowKey> {

  @Override
  public int compareTo(RowKey other) {
    int order = Integer.compare(partition, other.partition);
    return order == 0 ? key.compareTo(other.key) : order;
  }
}

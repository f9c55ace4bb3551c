package io.tunnel.server.rocks;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.table.ByteMap;
import java.io.IOException;
import java.util.List;
import org.rocksdb.AbstractNativeReference;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;

/** A walk over native entries, with the native objects that must outlive the walk. */
final class RocksWalk implements ByteMap.Cursor {
  private final RocksIterator at;
  private final List<AbstractNativeReference> held;

  RocksWalk(RocksIterator at, AbstractNativeReference... held) {
    this.at = at;
    this.held = List.of(held);
  }

  @Override
  public void toFirst() {
    at.seekToFirst();
  }

  @Override
  public void toLast() {
    at.seekToLast();
  }

  @Override
  public void seek(byte[] key) {
    at.seek(key);
  }

  @Override
  public void next() {
    at.next();
  }

  @Override
  public void prev() {
    at.prev();
  }

  @Override
  public boolean isValid() {
    return at.isValid();
  }

  @Override
  public byte[] key() {
    return at.key();
  }

  @Override
  public byte[] value() {
    return at.value();
  }

  @Override
  public void requireWhole() {
    try {
      at.status();
    } catch (RocksDBException e) {
      throw unreadable(e);
    }
  }

  @Override
  public void close() {
    at.close();
    held.forEach(AbstractNativeReference::close);
  }

  static IOException failed(RocksDBException failure) {
    return failed(failure.getMessage(), failure);
  }

  /** The failure with a message of our own; a full disk is a {@link DiskFullException}. */
  static IOException failed(String message, RocksDBException failure) {
    Status status = failure.getStatus();
    boolean isFull = status != null && status.getSubCode() == Status.SubCode.NoSpace;
    return isFull ? new DiskFullException(message) : new IOException(message, failure);
  }

  static RefusedException unreadable(RocksDBException failure) {
    Status status = failure.getStatus();
    boolean isCorrupt = status != null && status.getCode() == Status.Code.Corruption;
    return new RefusedException(
        isCorrupt ? ErrorCode.CORRUPT : ErrorCode.STORAGE_FAILED,
        "rows of the table cannot be read: " + failure.getMessage());
  }
}

package io.tunnel.server.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** A file of which each call reads or writes three bytes at most. */
final class HastyChannel extends FileChannel {

  private static final int PIECE_BYTES = 3;

  private final FileChannel real;

  HastyChannel(FileChannel real) {
    this.real = real;
  }

  private static ByteBuffer piece(ByteBuffer whole) {
    return whole.slice(whole.position(), Math.min(PIECE_BYTES, whole.remaining()));
  }

  @Override
  public int write(ByteBuffer source, long position) throws IOException {
    int count = real.write(piece(source), position);
    source.position(source.position() + count);
    return count;
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    int count = real.read(piece(target), position);
    target.position(target.position() + Math.max(0, count));
    return count;
  }

  @Override
  public long size() throws IOException {
    return real.size();
  }

  @Override
  public void force(boolean metaData) throws IOException {
    real.force(metaData);
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    real.truncate(size);
    return this;
  }

  @Override
  protected void implCloseChannel() throws IOException {
    real.close();
  }

  @Override
  public int read(ByteBuffer target) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long read(ByteBuffer[] targets, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int write(ByteBuffer source) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long position() {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileChannel position(long newPosition) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long position, long count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) {
    throw new UnsupportedOperationException();
  }
}

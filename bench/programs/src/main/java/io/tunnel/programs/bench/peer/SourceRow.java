package io.tunnel.programs.bench.peer;

import io.tunnel.model.value.Bytes;

/**
 * The values of one row in the shape of the whitepaper; every peer has its own encoding.
 *
 * @param hash 4 bytes, first column of the key
 * @param user second column of the key
 * @param device third column of the key
 * @param sequence last column of the key, different in each row of a test
 * @param payload first attribute
 * @param amount second attribute
 */
public record SourceRow(
    Bytes hash, String user, String device, long sequence, String payload, long amount) {

  /** This row with the integer attribute {@code other}. */
  public SourceRow withAmount(long other) {
    return new SourceRow(hash, user, device, sequence, payload, other);
  }
}

package io.tunnel.programs.bench.seeds;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Names of equal length for clients to register: {@code c00012/n00000345/xxx…}.
 *
 * @param bytes of a name
 * @param ofClient different names of each client
 */
record Names(int bytes, int ofClient) {

  /** What every name stands for. */
  static final String ADDRESS = "127.0.0.1:7650/1";

  private static final int CLIENT_DIGITS = 5;
  private static final int NAME_DIGITS = 8;

  /** The name of a client's request. */
  byte[] of(int client, long request) {
    byte[] name = new byte[bytes];
    Arrays.fill(name, (byte) 'x');
    int at = write(name, 0, 'c', client, CLIENT_DIGITS);
    int unused = write(name, at, 'n', request % ofClient, NAME_DIGITS);
    return name;
  }

  /** How the names of a client and of all clients behind it begin at least. */
  static String beginning(int client) {
    byte[] letters = new byte[CLIENT_DIGITS + 2];
    int unused = write(letters, 0, 'c', client, CLIENT_DIGITS);
    return new String(letters, StandardCharsets.US_ASCII);
  }

  /** As {@link #of}, as a text. */
  String text(int client, long request) {
    return new String(of(client, request), StandardCharsets.US_ASCII);
  }

  private static int write(byte[] name, int at, char letter, long number, int digits) {
    name[at] = (byte) letter;
    long left = number;
    for (int i = digits; i > 0; i--) {
      name[at + i] = (byte) ('0' + left % 10);
      left /= 10;
    }
    name[at + digits + 1] = '/';
    return at + digits + 2;
  }
}

package io.tunnel.codec;

/**
 * Bytes are whole, and say something that this build does not know: a newer build wrote them. The
 * reader changes nothing and names what it met; an upgrade of the reader is what helps.
 */
public final class NewerFormatException extends MalformedException {

  private static final long serialVersionUID = 1L;

  /** For an unknown thing, for example "attribute 5 of a row" or "a batch of format 2". */
  public NewerFormatException(String what) {
    super(what + ", which this build does not know: a newer build wrote it; upgrade this one");
  }
}

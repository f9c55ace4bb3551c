package io.tunnel.server.metrics;

import java.util.Iterator;

/** A page of metrics as one text. */
public final class Scraped {

  private Scraped() {}

  /** All pieces of a page. */
  public static String of(ServerMeters meters) {
    StringBuilder text = new StringBuilder();
    for (Iterator<CharSequence> pieces = meters.scrape(); pieces.hasNext(); ) {
      text.append(pieces.next());
    }
    return text.toString();
  }
}

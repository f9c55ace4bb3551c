package io.tunnel.it.console;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A page of an open server without a browser: one connection takes snapshots, another asks for a
 * tunnel like the page of the tunnel does. Two threads of its own until it is closed.
 */
final class Viewer implements AutoCloseable {

  private static final int TIMEOUT_MS = 60_000;
  private static final int WAIT_MS = 2_000;

  private final int port;
  private final Socket events;
  private final Socket pages;
  private final String session;
  private final boolean asks;
  private final AtomicLong snapshots = new AtomicLong();
  private final AtomicLong answers = new AtomicLong();
  private final AtomicBoolean wasDropped = new AtomicBoolean();
  private final CountDownLatch closed = new CountDownLatch(1);

  /**
   * Watches from now on.
   *
   * @param asks whether it asks for the tunnel each 2 s, too
   */
  Viewer(int port, String body, boolean asks) throws IOException {
    this.port = port;
    this.asks = asks;
    pages = connect();
    String index = ask("GET / HTTP/1.1\r\n", "", "");
    String me = ask("GET /api/me HTTP/1.1\r\n", "", "");
    if (!index.contains("text/html") || !me.contains("set-cookie: ")) {
      throw new IOException("no page: " + index + me);
    }
    String cookie = between(me, "set-cookie: ", ";");
    session =
        "Cookie: " + cookie + "\r\nX-Tunnel-Csrf: " + between(me, "\"csrf\":\"", "\"") + "\r\n";
    events = connect();
    begin("viewer-events", this::takeSnapshots);
    if (asks) {
      begin("viewer-page", () -> askAgain(body));
    }
  }

  private static String between(String text, String begin, String end) {
    int at = text.indexOf(begin) + begin.length();
    return text.substring(at, text.indexOf(end, at));
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(TIMEOUT_MS);
    return socket;
  }

  /** Something that the server may end. */
  private interface Watched {
    void run() throws IOException;
  }

  private void begin(String name, Watched watched) {
    Thread thread =
        new Thread(
            () -> {
              try {
                watched.run();
              } catch (IOException e) {
                wasDropped.compareAndSet(false, closed.getCount() > 0);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  private String head(String line) {
    return line + "Host: 127.0.0.1:" + port + "\r\n";
  }

  private void takeSnapshots() throws IOException {
    events
        .getOutputStream()
        .write((head("GET /api/events HTTP/1.1\r\n") + "\r\n").getBytes(StandardCharsets.US_ASCII));
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(events.getInputStream(), StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.equals("event: snapshot")) {
        snapshots.incrementAndGet();
      }
    }
    throw new IOException("the server has ended the feed");
  }

  private void askAgain(String body) throws IOException {
    do {
      String answer =
          ask(
              "POST /api/ask/DESCRIBE_TUNNEL HTTP/1.1\r\n",
              session + "Content-Type: application/json\r\n",
              body);
      if (!answer.startsWith("HTTP/1.1 200")) {
        throw new IOException(answer);
      }
      answers.incrementAndGet();
    } while (!isClosedSoon());
  }

  /** Whether the viewer is closed within the time between two requests. */
  private boolean isClosedSoon() {
    try {
      return closed.await(WAIT_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private String ask(String line, String headers, String body) throws IOException {
    byte[] content = body.getBytes(StandardCharsets.UTF_8);
    String head = head(line) + headers + "Content-Length: " + content.length + "\r\n\r\n";
    pages.getOutputStream().write((head + body).getBytes(StandardCharsets.UTF_8));
    return answer(pages.getInputStream());
  }

  private static String answer(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    int last = 0;
    while (last != 0x0d0a0d0a) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("the server has ended the connection");
      }
      head.write(next);
      last = last << 8 | next;
    }
    String text = head.toString(StandardCharsets.US_ASCII);
    int length = Integer.parseInt(between(text, "content-length: ", "\r"));
    return text + new String(in.readNBytes(length), StandardCharsets.UTF_8);
  }

  /** Snapshots so far. */
  long snapshots() {
    return snapshots.get();
  }

  /** Answers to requests for the tunnel so far. */
  long answers() {
    return answers.get();
  }

  /** Whether it asks for the tunnel. */
  boolean asks() {
    return asks;
  }

  /** Whether the server ended a connection or refused a request. */
  boolean wasDropped() {
    return wasDropped.get();
  }

  @Override
  public void close() throws IOException {
    closed.countDown();
    events.close();
    pages.close();
  }
}

package io.tunnel.programs.bench.seeds.publish;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * A service that carries one case, with a connection for each publisher and each subscriber. Paths
 * live as long as the connection of their publisher, except those that are {@linkplain
 * PublishCase.Action#SET set}. Closing removes all paths.
 */
public interface Publishing extends AutoCloseable {

  /** Makes a service ready for a case. */
  @FunctionalInterface
  interface Opening {
    /** Connects all publishers and subscribers. */
    Publishing open(PublishCase what) throws Exception;
  }

  /** What a publisher asks. */
  enum Request {
    /** Creates a path that must not be there. */
    CREATE,
    /** Deletes a path that must be there. */
    DELETE,
    /** Sets the data of a path that must be there. */
    SET
  }

  /** What subscribers hear. For any thread; of one subscriber one at a time. */
  interface Events {
    /** A path was created. */
    void created(int subscriber, int path);

    /** Subscribers hear no more. */
    void failed(String why);
  }

  /** Each subscriber begins to follow the paths of its publisher; returns when all do. */
  void follow(Events events) throws Exception;

  /**
   * A publisher asks something of a path of its own. For any thread; a publisher has one open
   * request.
   *
   * @param answer hears once, on any thread, what is wrong; empty when the service has done it
   */
  void ask(int publisher, Request request, int path, Consumer<Optional<String>> answer);

  /**
   * A subscriber reads the data of a path of its publisher.
   *
   * @param answer hears once, on any thread, what is wrong; empty when the data is right
   */
  void read(int subscriber, int path, Consumer<Optional<String>> answer);

  @Override
  void close();
}

package io.tunnel.server.net;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.net.access.VisibleCluster;
import io.tunnel.wire.Frame;
import io.tunnel.wire.control.ClusterControl.DescribeNode;
import io.tunnel.wire.control.ClusterControl.DrainNode;
import io.tunnel.wire.control.ClusterControl.NodeFigures;
import io.tunnel.wire.control.ClusterControl.NodePart;
import io.tunnel.wire.control.ClusterControl.Upgrade;
import io.tunnel.wire.control.Control.Empty;
import io.tunnel.wire.control.Json;
import java.util.Optional;
import java.util.function.Supplier;

/** Serves requests about the cluster. */
final class ClusterRequests {

  private final ClusterView view;
  private final Catalog catalog;
  private final RequestThreads threads;
  private volatile Supplier<Optional<NodeFigures>> figures = Optional::empty;

  ClusterRequests(ClusterView view, Catalog catalog, RequestThreads threads) {
    this.view = view;
    this.catalog = catalog;
    this.threads = threads;
  }

  void describe(Frame frame, Connection connection) {
    threads.answer(
        threads.control(), frame, connection, () -> visible(connection).of(view.describe()));
  }

  void describeNode(Frame frame, Connection connection) {
    NodePart part = Json.decode(frame.payload(), DescribeNode.class).part();
    threads.answer(
        threads.control(),
        frame,
        connection,
        () ->
            switch (part) {
              case REPLICAS -> visible(connection).of(view.status());
              case FIGURES -> visible(connection).figures(view.describe().node(), figures);
            });
  }

  /** Answers requests for figures with these from now on. */
  void figures(Supplier<Optional<NodeFigures>> now) {
    figures = now;
  }

  private VisibleCluster visible(Connection connection) {
    return new VisibleCluster(catalog, connection.caller());
  }

  /** Looks at the level, or raises it. The catalog's leader alone answers: it knows the newest. */
  void upgrade(Frame frame, Connection connection) {
    Optional<Integer> to = Json.decode(frame.payload(), Upgrade.class).to();
    threads.answer(
        threads.control(),
        frame,
        connection,
        () -> {
          if (!view.leadsCatalog()) {
            throw view.notLeader(Unit.CATALOG, "the level");
          }
          if (to.isPresent()) {
            view.raise(to.get());
          }
          return view.levels().answer();
        });
  }

  void drain(Frame frame, Connection connection) {
    boolean isDraining = Json.decode(frame.payload(), DrainNode.class).isDraining();
    threads.answer(
        threads.control(),
        frame,
        connection,
        () -> {
          view.drain(isDraining);
          return new Empty();
        });
  }
}

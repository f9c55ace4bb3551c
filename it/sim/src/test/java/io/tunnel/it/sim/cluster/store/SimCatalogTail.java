package io.tunnel.it.sim.cluster.store;

import io.tunnel.it.sim.cluster.group.Reach;
import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.server.catalog.Catalog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** What a node is told of tables, some time after it was stored. */
public final class SimCatalogTail {

  private static final long RETRY_NANOS = 200_000_000;

  private final SimStores stores;
  private final Catalog catalog;
  private final Reach reach;
  private final BooleanSupplier isReached;
  private final SimThread control;
  private final List<Wait> waits = new ArrayList<>();
  private final Runnable wake = this::readLater;
  private int told;
  private boolean isReading;

  private record Wait(int commits, Runnable then) {}

  public SimCatalogTail(
      SimStores stores,
      Catalog catalog,
      Reach reach,
      BooleanSupplier isReached,
      SimThread control) {
    this.stores = stores;
    this.catalog = catalog;
    this.reach = reach;
    this.isReached = isReached;
    this.control = control;
    stores.listen(wake);
  }

  private List<Map<String, Optional<String>>> commits() {
    return stores.unit(io.tunnel.server.cluster.Unit.CATALOG).commits;
  }

  /** Reads all that there is, at once. */
  public void readAll() {
    while (told < commits().size()) {
      tell();
    }
  }

  private void tell() {
    catalog.followed(commits().get(told));
    told++;
    List<Wait> over = waits.stream().filter(wait -> wait.commits() <= told).toList();
    waits.removeAll(over);
    over.forEach(wait -> wait.then().run());
  }

  private void readLater() {
    if (!isReading && told < commits().size()) {
      isReading = true;
      reach.agenda.after(reach.nanos(), this::read);
    }
  }

  private void read() {
    if (isReached.getAsBoolean()) {
      control.execute(
          () -> {
            isReading = false;
            if (told < commits().size()) {
              tell();
            }
            readLater();
          });
    } else {
      reach.agenda.after(RETRY_NANOS, this::read);
    }
  }

  /** Runs {@code then} when the listener has heard all writes before the call. */
  public void catchUp(Runnable then) {
    if (told >= commits().size()) {
      then.run();
    } else {
      waits.add(new Wait(commits().size(), then));
    }
  }

  public void died() {
    stores.forget(wake);
  }
}

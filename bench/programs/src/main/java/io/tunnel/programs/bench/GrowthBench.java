package io.tunnel.programs.bench;

import io.tunnel.model.Durability;
import io.tunnel.programs.bench.peer.ArrivalCount;
import io.tunnel.programs.bench.peer.CpuTimes;
import io.tunnel.programs.bench.peer.Figures;
import io.tunnel.programs.bench.peer.Look;
import io.tunnel.programs.bench.peer.Progress;
import io.tunnel.programs.bench.peer.RowLoad;
import io.tunnel.programs.bench.peer.RowPlan;
import io.tunnel.programs.bench.peer.RowReader;
import io.tunnel.programs.bench.peer.RowWriter;
import io.tunnel.programs.bench.peer.TunnelPeer;
import io.tunnel.programs.bench.peer.TunnelReader;
import io.tunnel.programs.bench.peer.TunnelReader.From;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Varies one variable at a time, and measures every value. */
final class GrowthBench {

  private static final int PARTITIONS = 8;
  private static final long POINT_BYTES_MAX = 1L << 30;
  private static final double NONE = Double.NaN;

  private final Ground ground;
  private final long rows;
  private final TunnelPeer peer;

  GrowthBench(Ground ground, long rows) {
    this.ground = ground;
    this.rows = rows;
    this.peer = ground.peer(Durability.OS);
  }

  /** Takes the variables and their values in order. */
  Map<Variable, List<GrowthPoint>> run(Map<Variable, List<Long>> values) throws Exception {
    ground.progress().step("warm-up");
    var unused = writeAndRead(0, PARTITIONS, 1, RowPlan.DEFAULT, rows);
    Map<Variable, List<GrowthPoint>> points = new EnumMap<>(Variable.class);
    for (Map.Entry<Variable, List<Long>> each : values.entrySet()) {
      List<GrowthPoint> curve = new ArrayList<>();
      for (long value : each.getValue()) {
        ground.progress().step(each.getKey().label() + " " + value);
        curve.add(point(each.getKey(), value));
      }
      points.put(each.getKey(), curve);
    }
    return points;
  }

  private GrowthPoint point(Variable variable, long value) throws Exception {
    return switch (variable) {
      case PARTITIONS -> writeAndRead(value, (int) value, 1, RowPlan.DEFAULT, rows);
      case TUNNELS -> tunnels((int) value);
      case WORKERS ->
          writeAndRead(
              value, Math.max(PARTITIONS, 2 * (int) value), (int) value, RowPlan.DEFAULT, rows);
      case ROW_BYTES ->
          writeAndRead(
              value,
              PARTITIONS,
              1,
              RowPlan.ofRowBytes((int) value),
              Math.min(rows, POINT_BYTES_MAX / value));
      case KEYS -> keys(value);
      case BACKLOG ->
          writeAndRead(
              value,
              PARTITIONS,
              1,
              RowPlan.DEFAULT,
              Math.max(1, value / RowPlan.DEFAULT.rowBytes()));
    };
  }

  /** Writes a new table, waits until the server has settled, and reads all of it. */
  private GrowthPoint writeAndRead(
      long value, int partitions, int workers, RowPlan plan, long count) throws Exception {
    String table = ground.nextTable();
    peer.create(table, partitions);
    Figures write = write(table, plan, count);
    ArrivalCount arrivals = new ArrivalCount(count, ground.clock());
    Figures read;
    try (TunnelReader reader =
        new TunnelReader(
            peer.endpoint(), From.earliest(table, "growth"), workers, Look.TOUCH, arrivals)) {
      read = read(List.of(reader), arrivals, count);
    }
    drop(table);
    return new GrowthPoint(
        value,
        write.get("rows/s"),
        write.get("server"),
        read.get("rows/s"),
        read.get("server"),
        read.get("client"));
  }

  private Figures write(String table, RowPlan plan, long count) throws Exception {
    RowLoad load = ground.load(plan);
    CpuTimes cpu = new CpuTimes(peer);
    Figures figures = new Figures();
    try (RowWriter writer = peer.openWriter(table)) {
      long startNanos = ground.clock().nanos();
      var unused = load.write(writer, count);
      figures.put("rows/s", rate(count, startNanos, ground.clock().nanos()));
    }
    ground.settle();
    figures.put("server", cpu.serverMicrosPer(count));
    return figures;
  }

  private Figures read(List<TunnelReader> readers, ArrivalCount arrivals, long count)
      throws InterruptedException {
    CpuTimes cpu = new CpuTimes(peer);
    Figures figures = new Figures();
    Progress.Watch watch = ground.progress().watch("read", count, arrivals::rows);
    try (watch) {
      long startNanos = ground.clock().nanos();
      readers.forEach(RowReader::start);
      long endNanos = await(arrivals, readers);
      figures.put("rows/s", rate(count, startNanos, endNanos));
      figures.put("client", cpu.clientMicrosPer(count));
      figures.put("server", cpu.serverMicrosPer(count));
    }
    return figures;
  }

  private long await(ArrivalCount arrivals, List<TunnelReader> readers)
      throws InterruptedException {
    return arrivals.awaitNanos(readers.get(0), ground.options().stepSecondsMax());
  }

  /** Tunnels that follow while a table is written. */
  private GrowthPoint tunnels(int tunnels) throws Exception {
    String table = ground.nextTable();
    peer.create(table, PARTITIONS);
    long deliveries = rows * tunnels;
    ArrivalCount arrivals = new ArrivalCount(deliveries, ground.clock());
    List<TunnelReader> readers = new ArrayList<>();
    try {
      for (int i = 0; i < tunnels; i++) {
        From from = From.earliest(table, "growth-" + i);
        readers.add(new TunnelReader(peer.endpoint(), from, 1, Look.TOUCH, arrivals));
      }
      readers.forEach(RowReader::start);
      ground.settle();
      return follow(table, tunnels, deliveries, readers, arrivals);
    } finally {
      readers.forEach(RowReader::close);
      drop(table);
    }
  }

  private GrowthPoint follow(
      String table, int tunnels, long deliveries, List<TunnelReader> readers, ArrivalCount arrivals)
      throws Exception {
    CpuTimes cpu = new CpuTimes(peer);
    long startNanos = ground.clock().nanos();
    long writtenNanos;
    try (RowWriter writer = peer.openWriter(table)) {
      var unused = ground.load(RowPlan.DEFAULT).write(writer, rows);
      writtenNanos = ground.clock().nanos();
    }
    long endNanos = await(arrivals, readers);
    ground.settle();
    return new GrowthPoint(
        tunnels,
        rate(rows, startNanos, writtenNanos),
        NONE,
        rate(deliveries, startNanos, endNanos),
        cpu.serverMicrosPer(deliveries),
        cpu.clientMicrosPer(deliveries));
  }

  /** A table of so many keys is written over. */
  private GrowthPoint keys(long keys) throws Exception {
    String table = ground.nextTable();
    peer.create(table, PARTITIONS);
    try (RowWriter writer = peer.openWriter(table)) {
      var unused = ground.load(RowPlan.DEFAULT).write(writer, keys);
    }
    ground.settle();
    Figures write = write(table, RowPlan.DEFAULT.overKeys(keys), rows);
    drop(table);
    return new GrowthPoint(keys, write.get("rows/s"), write.get("server"), NONE, NONE, NONE);
  }

  private void drop(String table) {
    peer.drop(table);
    ground.settle();
  }

  private static double rate(long count, long startNanos, long endNanos) {
    return count * 1e9 / Math.max(1, endNanos - startNanos);
  }
}

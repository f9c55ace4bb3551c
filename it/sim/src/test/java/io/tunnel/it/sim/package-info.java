/**
 * A deterministic simulation of the whole service: one seed, one world. See
 * docs/internals/proving.md.
 *
 * <p>A {@link io.tunnel.it.sim.World} has a server (the real catalog, logs, shards, sessions,
 * channels and connections, over a disk and a store that crash), workers (the SDK's own, with
 * processors that report to the ledger), clients, and a network that carries real frames. A world
 * runs in one thread, in the order of an {@code Agenda} with the only clock.
 *
 * <p>A world does nothing by itself. Drive it step by step, from a test or a script:
 *
 * <ul>
 *   <li>{@code world.machine}: {@code start()}, {@code crash(power)}, {@code skewClock(micros)},
 *       {@code giveUpSnapshots()};
 *   <li>{@code world.startWorker(tunnelId, isGreedy)}, then {@code crashWorker}, {@code
 *       pauseWorker(worker, millis)}, {@code worker.leave()};
 *   <li>an {@code Operator} creates the table and tunnels, pauses, resumes, seeks, ends sessions,
 *       deletes; a {@code SimProgram} writes;
 *   <li>{@code world.cut(connection)}, {@code stall(connection, millis)} for one of {@code
 *       world.network.open()};
 *   <li>{@code world.behave(moods)}: how often processors are slow, block or throw, and machines
 *       fail in the middle of a write;
 *   <li>{@code world.run(millis)} lets time pass; {@code world.dump()} says how everything stands;
 *       {@code world.trace} has what happened.
 * </ul>
 *
 * <p>The {@code Wiretap} sees every frame, the {@code Ledger} every commit and stored checkpoint
 * and what every processor is given, and both break with an {@code Invariant.Broken} as soon as an
 * invariant does. {@code Completion} says what must hold when all is quiet. {@code Simulation} is
 * the driver that chance moves, {@code Story} the one that a script moves; {@code Happening} lists
 * what it must have exercised.
 */
package io.tunnel.it.sim;

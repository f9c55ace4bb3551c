/**
 * A test kit for programs that use the SDK: {@link io.tunnel.sdk.testing.InMemoryTunnelService} is
 * the service in a test's memory. Clients and workers connect to it as they do to a server and find
 * what they would find there, without a process, a disk, or waiting.
 *
 * <pre>{@code
 * // Starts a service, runs the program's processor against it, and looks at what became of it.
 * void counts_every_user_once_also_when_the_connection_is_lost() {
 *   try (InMemoryTunnelService service = InMemoryTunnelService.start();
 *       TunnelClient tunnels = new TunnelClient(service.endpoint())) {
 *     service.createTable(
 *         new TableMeta("users", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER))));
 *     String tunnelId = service.createTunnel("users", "count", TunnelType.Stream);
 *     UserCounter counter = new UserCounter();
 *     TunnelWorker worker =
 *         new TunnelWorker(
 *             tunnelId,
 *             tunnels,
 *             TunnelWorkerConfig.builder()
 *                 .processor(counter)
 *                 .checkpointIntervalInMillis(10)
 *                 .build());
 *     worker.connectAndWorking();
 *
 *     service.write("users", user(1), user(2));
 *     service.awaitProcessed("users", "count");
 *     service.loseConnections();
 *     service.write("users", user(3));
 *     service.awaitProcessed("users", "count");
 *
 *     worker.shutdown();
 *     if (counter.users() != 3) {
 *       throw new AssertionError(counter.users() + " users");
 *     }
 *   }
 * }
 *
 * static RowChange user(long id) {
 *   return new RowPutChange(PrimaryKey.builder().add("id", id).build(), List.of());
 * }
 *
 * static final class UserCounter implements IChannelProcessor {
 *   private final Set<PrimaryKey> keys = ConcurrentHashMap.newKeySet();
 *
 *   public void process(ProcessRecordsInput input) {
 *     input.getRecords().forEach(record -> keys.add(record.getPrimaryKey()));
 *   }
 *
 *   int users() {
 *     return keys.size();
 *   }
 *
 *   public void shutdown() {}
 * }
 * }</pre>
 *
 * <p>With JUnit 5 a field {@code @AutoClose InMemoryTunnelService service} does what the {@code
 * try} does here: close it, and fail the test when a client did what a correct one never does
 * ({@link io.tunnel.sdk.testing.Rule}).
 *
 * <p><b>Time</b> is the test's: it passes with {@link
 * io.tunnel.sdk.testing.InMemoryTunnelService#advance}, for commit times, leases, deadlines and the
 * ends of streams. Workers keep their own time, so give them short intervals. <b>Waiting</b> is for
 * something to happen, never for time to pass: the {@code await} methods return at once when it
 * has. <b>Trouble</b> is made by calls: connections that are lost, requests that are refused,
 * delayed or not answered, channels that are fenced or broken, crashes.
 *
 * <p>One set of contract tests runs against this service and against the real server. What it does
 * not do as the server does is in {@code docs/test-kit.md}.
 */
package io.tunnel.sdk.testing;

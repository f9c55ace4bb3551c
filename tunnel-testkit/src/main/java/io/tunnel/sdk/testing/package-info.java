/**
 * A test kit for programs that use the SDK: {@link io.tunnel.sdk.testing.InMemoryTunnelService} is
 * the service in a test's memory. Clients and workers connect to it as to a server and see the same
 * behaviour, without a process, a disk, or waiting.
 *
 * <pre>{@code
 * // Starts a service, runs the program's processor against it, and looks at what became of it.
 * void counts_every_user_once_also_when_the_connection_is_lost() {
 *   try (InMemoryTunnelService service = InMemoryTunnelService.start();
 *       TunnelClient tunnels = new TunnelClient(service.endpoint())) {
 *     service.createTable(
 *         CreateTableRequest.builder("users").key("id", PrimaryKeyType.INTEGER).build());
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
 *   return Row.key("id", id).put();
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
 * <p>With JUnit 5 a field {@code @AutoClose InMemoryTunnelService service} works like the {@code
 * try} here: closes the service, and fails the test when a client has violated a {@link
 * io.tunnel.sdk.testing.Rule}.
 *
 * <p><b>Time</b> is the test's: it passes with {@link
 * io.tunnel.sdk.testing.InMemoryTunnelService#advance}, for commit times, leases, deadlines and the
 * ends of streams. Workers use the real time: configure short intervals. <b>Waiting</b> is for a
 * condition, never for time: the {@code await} methods return as soon as the condition holds.
 * <b>Faults</b> are ordered by calls: lost connections, refused, delayed or unanswered requests,
 * fenced or broken channels, crashes.
 *
 * <p>One set of contract tests runs against this service and against the real server. {@code
 * docs/guides/test-kit.md} lists the differences.
 */
package io.tunnel.sdk.testing;

package io.tunnel.kafka.table;

import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.streams.StreamsConfig;

/**
 * What Kafka Streams runs with: its defaults (commits each 30 s, a record cache of 10 MiB, RocksDB
 * as it configures it, at least once), but for the number of threads and the optimization of the
 * topology, with which the topic itself is what a lost table is made of again, and no second topic
 * is written.
 *
 * @param bootstrap where the broker is, as HOST:PORT
 * @param directory where tables are kept
 * @param threads that keep them
 */
record TableSettings(String bootstrap, Path directory, int threads) {

  /** Those of a program of that name, in the words of Kafka Streams. */
  Properties of(String application) {
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, application);
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    settings.put(StreamsConfig.STATE_DIR_CONFIG, directory.toString());
    settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, threads);
    settings.put(StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG, StreamsConfig.OPTIMIZE);
    return settings;
  }
}

package io.tunnel.kafka.table;

import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.streams.StreamsConfig;

/**
 * The settings of Kafka Streams: the defaults (commits each 30 s, a record cache of 10 MiB, its
 * RocksDB configuration, at least once), except for the number of threads, and the optimized
 * topology, which restores a lost table from the topic itself and writes no second topic.
 *
 * @param bootstrap the address of the broker, as HOST:PORT
 * @param directory the directory of the tables
 * @param threads the number of threads
 */
record TableSettings(String bootstrap, Path directory, int threads) {

  /** The properties for Kafka Streams. */
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

/** Nodes as members of a consumer group: their names, their introductions, and placements. */
package io.tunnel.server.kafka.members;

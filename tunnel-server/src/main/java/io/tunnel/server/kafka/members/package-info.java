/** Nodes as members of a consumer group: who is there, under which name, and who is to do what. */
package io.tunnel.server.kafka.members;

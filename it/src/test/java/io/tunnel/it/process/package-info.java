/**
 * Servers, nodes, brokers, workers and writers as processes of their own, the network between them,
 * and the stage that starts them and ends them with the test.
 */
package io.tunnel.it.process;

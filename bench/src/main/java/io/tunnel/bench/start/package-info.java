/**
 * What a server costs in its first minute, started as operators start it: the program is {@link
 * io.tunnel.bench.start.FirstMinuteMain}.
 */
package io.tunnel.bench.start;

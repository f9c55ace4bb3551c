/** Which splits there are, when each may be read, and who reads it. */
package io.tunnel.flink.source.enumerator;

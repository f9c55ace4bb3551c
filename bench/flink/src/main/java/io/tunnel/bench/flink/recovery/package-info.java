/** How long a job is silent after a failure, and what it says again. */
package io.tunnel.bench.flink.recovery;
